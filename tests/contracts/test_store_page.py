"""The rows of chats as the page reads them, on both databases."""

import pytest

from bot.adapters.sql.page_rows import Stirred
from bot.adapters.sql.store import Store
from bot.domain.change import AddAudit, Show
from bot.domain.change.erasing import ERASED
from bot.domain.talk.message import Address, Outbound, OutboundKind, Plain, RawUpdate
from bot.domain.talk.person import Role, Sender
from bot.domain.talk.session import Session, hashed
from bot.ports.outbox import Delivered, DeliveryState
from tests.contracts.store_ports import StorePorts
from tests.contracts.store_samples import NOW, commit, later

TOLD = Outbound(OutboundKind.NOTICE, (Plain("told"),))


async def test_pages_find_what_is_new_and_who_is_signed_in(store: StorePorts):
    if not isinstance(store, Store):
        pytest.skip("the store in memory has no page")
    ann = await store.people.admit(Sender("web", "1", "Ann"), Role.OWNER)
    session = await store.sessions.open(
        Session("one", hashed("one"), ann.id, "Firefox", NOW, NOW, later(60))
    )
    assert await store.page.accounts(ann.id) == [session.account]
    assert set(await store.page.live(["one", "two"], NOW)) == {"one"}
    chats = [await store.chats.at(Address("web", "1", n), private=True) for n in (None, "b")]
    one, two = [chat.id for chat in chats]
    first = await store.page.stirred(Stirred(), [one, two])
    before = await store.page.stirred(first, [one, two])
    assert one not in before.chats
    await commit(store, Show("a", one, TOLD))
    (row,) = await store.page.shown(one, 2**62, 10)
    owed = await store.page.stirred(before, [one, two])
    assert (one in owed.chats, two in owed.chats, one in owed.owed) == (True, False, True)
    done = Delivered(row.id, 1, DeliveryState.SHOWN, 1, (), ("m",), 0, NOW)
    await store.outbox.record(done)
    # It was changed and shown between two looks.
    quiet = await store.page.stirred(owed, [one, two])
    await commit(store, Show("a", one, TOLD))
    await store.outbox.record(Delivered(row.id, 2, DeliveryState.SHOWN, 2, (), ("m",), 0, NOW))
    assert one in (await store.page.stirred(quiet, [one, two])).chats
    await store.inbox.accept("web", [RawUpdate("k", "body")], NOW)
    assert await store.page.said(one, 2**62, 10) == []
    assert set(await store.page.newest([one, two])) == {one}
    assert (await store.page.message(row.id)) is not None


async def test_pages_find_changes_of_messages_further_up(store: StorePorts):
    if not isinstance(store, Store):
        pytest.skip("the store in memory has no page")
    one = (await store.chats.at(Address("web", "1"), private=True)).id
    await commit(store, Show("a", one, TOLD))
    (row,) = await store.page.shown(one, 2**62, 10)

    async def shown(version: int) -> None:
        told = Delivered(row.id, version, DeliveryState.SHOWN, version, (), ("m",), 0, NOW)
        await store.outbox.record(told)

    await shown(1)
    quiet = await store.page.stirred(await store.page.stirred(Stirred()))
    looked = await store.page.stirred(quiet, (), [row.id])
    assert one not in (await store.page.stirred(looked, (), [row.id])).chats
    await commit(store, Show("a", one, TOLD))
    await shown(2)
    assert one in (await store.page.stirred(looked, (), [row.id])).chats
    assert one not in (await store.page.stirred(looked)).chats
    assert [here.key for here in await store.page.named(["a", "b"])] == ["a"]
    assert [here.key for here in await store.page.numbered(one, [row.id])] == ["a"]
    assert await store.page.numbered(one + 1, [row.id]) == []


async def test_pages_find_what_was_erased_since_they_were_made(store: StorePorts):
    if not isinstance(store, Store):
        pytest.skip("the store in memory has no page")
    ann, bob = [await store.people.admit(Sender("web", n, n), Role.OWNER) for n in ("1", "2")]
    own = await store.chats.at(Address("web", "1"), private=True)
    group = await store.chats.at(Address("web", "g"), private=False)

    async def writes(chat: int, person: int, action: str, subject: str) -> None:
        await commit(store, AddAudit(NOW, chat, person, action, subject, {}))

    await writes(own.id, ann.id, ERASED, "all")
    before, line = await store.page.stirred(Stirred(), []), await store.page.line()
    await writes(own.id, ann.id, "memory.kept", "")
    quiet = await store.page.stirred(before, [])
    assert not quiet.erased
    for chat, by, subject in ((own, ann, "turn-1"), (own, bob, "all"), (group, ann, "all")):
        await writes(chat.id, by.id, ERASED, subject)
    assert (await store.page.stirred(quiet, [])).erased
    assert await store.page.erased(ann.id, line) == [(own.id, "turn-1")]
    assert await store.page.erased(ann.id, await store.page.line()) == []
