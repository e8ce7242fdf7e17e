"""Updates are kept once, to the letter, and move on only from where they are expected."""

import asyncio
from dataclasses import replace
from datetime import timedelta

import pytest

from bot.domain.change import AmendInbound, InboundState, MarkInbound
from bot.domain.talk.chat import Chat
from bot.domain.talk.errors import Conflict
from bot.domain.talk.message import Address, RawUpdate, Reached
from bot.ports.inbox import InboundRow
from tests.contracts.store_ports import StorePorts
from tests.contracts.store_samples import NOW, commit

NEW, WAITING, TAKEN = InboundState.NEW, InboundState.WAITING, InboundState.TAKEN


async def test_accepted_updates_wait_to_be_routed_in_order(store: StorePorts):
    updates = [RawUpdate(str(n), f'{{"update_id": {n}}}') for n in (7, 8, 9)]
    added = await store.inbox.accept("telegram", updates, NOW)
    assert added == await store.inbox.unrouted(10)
    rows = await store.inbox.unrouted(2)
    assert [(r.key, r.body, r.state, r.received_at) for r in rows] == [
        ("7", '{"update_id": 7}', NEW, NOW),
        ("8", '{"update_id": 8}', NEW, NOW),
    ]


async def test_an_update_seen_before_is_not_kept_twice(store: StorePorts):
    await store.inbox.accept("telegram", [RawUpdate("7", "first")], NOW)
    updates = [RawUpdate("7", "again"), RawUpdate("8", "new"), RawUpdate("8", "twice in one")]
    assert len(await store.inbox.accept("telegram", updates, NOW)) == 1
    assert [r.body for r in await store.inbox.unrouted(10)] == ["first", "new"]


async def test_a_position_is_stored_with_its_update_and_found_while_it_is_young(
    store: StorePorts,
):
    assert await store.inbox.reached("here", NOW) == ""
    here, there = Reached("here", "8"), Reached("there", "1")
    await store.inbox.accept("telegram", [RawUpdate("7", "a", here)], NOW)
    await store.inbox.accept("telegram", [RawUpdate("8", "b", there), RawUpdate("9", "c")], NOW)
    later = NOW + timedelta(hours=1)
    await store.inbox.accept("telegram", [RawUpdate("7", "a", replace(here, position="9"))], later)
    assert await store.inbox.reached("here", later) == "9"
    assert await store.inbox.reached("there", NOW) == "1"
    assert await store.inbox.reached("there", later) == ""


async def test_channels_do_not_share_their_keys(store: StorePorts):
    await store.inbox.accept("telegram", [RawUpdate("7", "a")], NOW)
    assert len(await store.inbox.accept("terminal", [RawUpdate("7", "b")], NOW)) == 1


async def test_nothing_accepted_is_no_fault(store: StorePorts):
    assert await store.inbox.accept("telegram", [], NOW) == []


async def test_the_same_updates_accepted_at_once_are_kept_once(store: StorePorts):
    updates = [RawUpdate(str(n), "{}") for n in range(20)]
    added = await asyncio.gather(*(store.inbox.accept("telegram", updates, NOW) for _ in range(4)))
    assert sorted(row.key for rows in added for row in rows) == sorted(u.key for u in updates)
    assert len(await store.inbox.unrouted(100)) == 20


@pytest.mark.parametrize(
    "body", ["nul \0 here", "lone \ud83d half", "\x1b[31m \u202e", "", "x" * 200_000]
)
async def test_a_body_survives_whatever_it_holds(store: StorePorts, body: str):
    await store.inbox.accept("telegram", [RawUpdate("7", body)], NOW)
    assert (await store.inbox.unrouted(1))[0].body == body


async def one(store: StorePorts) -> InboundRow:
    await store.inbox.accept("telegram", [RawUpdate("7", "{}")], NOW)
    return (await store.inbox.unrouted(1))[0]


async def test_a_routed_update_waits_in_its_chat(store: StorePorts, chat: Chat):
    row = await one(store)
    await commit(store, MarkInbound(row.id, WAITING, (NEW,), chat.id, "17"))
    assert await store.inbox.unrouted(10) == []
    assert await store.inbox.waiting(chat.id) == [
        replace(row, state=WAITING, chat=chat.id, message_id="17")
    ]


async def test_what_a_mark_does_not_name_stays(store: StorePorts, chat: Chat):
    row = await one(store)
    await commit(store, MarkInbound(row.id, WAITING, (NEW,), chat.id, "17"))
    await commit(store, MarkInbound(row.id, TAKEN, (WAITING,), turn="turn-1"))
    await commit(store, MarkInbound(row.id, WAITING, (TAKEN,), reason="given back"))
    assert [r.message_id for r in await store.inbox.waiting(chat.id)] == ["17"]


async def test_a_mark_may_forget_the_words(store: StorePorts, chat: Chat):
    row = await one(store)
    await commit(store, MarkInbound(row.id, InboundState.DONE, (NEW,), chat.id, forget=True))
    kept = await store.inbox.get(row.id)
    assert kept == replace(row, state=InboundState.DONE, chat=chat.id, body="")
    assert await store.inbox.accept("telegram", [RawUpdate("7", "{}")], NOW) == []


async def test_a_mark_from_another_state_is_a_conflict(store: StorePorts, chat: Chat):
    row = await one(store)
    await commit(store, MarkInbound(row.id, WAITING, (NEW,), chat.id))
    with pytest.raises(Conflict):
        await commit(store, MarkInbound(row.id, TAKEN, (NEW, InboundState.DEAD)))
    assert len(await store.inbox.waiting(chat.id)) == 1


async def test_a_message_is_taken_by_one_turn_only(store: StorePorts, chat: Chat):
    row = await one(store)
    await commit(store, MarkInbound(row.id, WAITING, (NEW,), chat.id))

    async def take(turn: str) -> bool:
        try:
            await commit(store, MarkInbound(row.id, TAKEN, (WAITING,), turn=turn))
        except Conflict:
            return False
        return True

    assert (await asyncio.gather(*(take(f"turn-{n}") for n in range(6)))).count(True) == 1


async def test_an_edit_changes_a_waiting_message_only(store: StorePorts, chat: Chat):
    row = await one(store)
    await commit(store, MarkInbound(row.id, WAITING, (NEW,), chat.id))
    await commit(store, AmendInbound(row.id, "edited \0"))
    assert (await store.inbox.waiting(chat.id))[0].body == "edited \0"
    await commit(store, MarkInbound(row.id, TAKEN, (WAITING,)))
    with pytest.raises(Conflict):
        await commit(store, AmendInbound(row.id, "too late"))


async def test_a_message_is_found_by_its_number_while_it_waits(store: StorePorts, chat: Chat):
    row = await one(store)
    await commit(store, MarkInbound(row.id, WAITING, (NEW,), chat.id, "17"))
    assert await store.inbox.message([chat.id], "17") == replace(
        row, state=WAITING, chat=chat.id, message_id="17"
    )
    assert await store.inbox.message([chat.id], "18") is None
    assert await store.inbox.message([chat.id + 1], "17") is None
    await commit(store, MarkInbound(row.id, TAKEN, (WAITING,)))
    assert await store.inbox.message([chat.id], "17") is None


async def test_what_was_taken_last_is_what_stands_from_a_span_before_the_first_new_update_on(
    store: StorePorts, chat: Chat
):
    await store.inbox.accept("telegram", [RawUpdate(str(n), "{}") for n in range(6)], NOW)
    rows = await store.inbox.unrouted(10)
    assert await store.inbox.last_taken(3) == []
    for row, person in zip(rows[:4], (1, 2, None, 2), strict=True):
        await commit(store, MarkInbound(row.id, WAITING, (NEW,), chat.id, person=person))
    await commit(store, MarkInbound(rows[3].id, TAKEN, (WAITING,)))
    assert [row.key for row in await store.inbox.last_taken(3)] == ["1", "3"]
    for row in rows[4:]:
        await commit(store, MarkInbound(row.id, InboundState.DONE, (NEW,)))
    assert [row.key for row in await store.inbox.last_taken(5)] == ["1", "3"]


async def test_what_was_taken_while_an_older_update_is_still_new_was_taken_last(
    store: StorePorts, chat: Chat
):
    await store.inbox.accept("telegram", [RawUpdate(str(n), "{}") for n in range(4)], NOW)
    rows = await store.inbox.unrouted(10)
    for row in (rows[0], rows[2]):
        await commit(store, MarkInbound(row.id, WAITING, (NEW,), chat.id, person=1))
    assert [row.key for row in await store.inbox.last_taken(1)] == ["0", "2"]


async def test_new_updates_are_found_without_those_that_are_known(store: StorePorts):
    await store.inbox.accept("telegram", [RawUpdate(str(n), "{}") for n in range(4)], NOW)
    ids = [row.id for row in await store.inbox.unrouted(10)]
    others = await store.inbox.unrouted(1, {ids[0], ids[2]})
    assert [row.id for row in others] == ids[1:2]
    assert await store.inbox.unrouted(10, ids) == []


async def test_what_was_taken_last_of_nothing_is_nothing(store: StorePorts):
    assert await store.inbox.last_taken(3) == []


async def test_what_is_asked_about_is_found_among_the_newest_and_by_its_number(
    store: StorePorts, chat: Chat
):
    await store.inbox.accept("telegram", [RawUpdate(str(n), "{}") for n in range(4)], NOW)
    rows = await store.inbox.unrouted(10)
    asked = [MarkInbound(row.id, InboundState.ASKED, (NEW,), chat.id) for row in rows[:2]]
    await commit(store, *asked)
    told = replace(rows[1], state=InboundState.ASKED, chat=chat.id)
    assert await store.inbox.get(rows[1].id) == told
    assert await store.inbox.get(rows[-1].id + 1) is None
    assert await store.inbox.asked(chat.id, 3) == [told]
    assert len(await store.inbox.asked(chat.id, 100)) == 2
    assert await store.inbox.asked(chat.id + 1, 100) == []
    await commit(store, MarkInbound(rows[1].id, WAITING, (InboundState.ASKED,)))
    with pytest.raises(Conflict):
        await commit(store, MarkInbound(rows[1].id, WAITING, (InboundState.ASKED,)))
    assert await store.inbox.asked(chat.id, 3) == []


async def test_the_newest_update_of_a_channel_tells_its_time(store: StorePorts):
    assert await store.inbox.newest("telegram") is None
    later = NOW + timedelta(minutes=1)
    await store.inbox.accept("telegram", [RawUpdate("7", "a")], NOW)
    await store.inbox.accept("telegram", [RawUpdate("8", "b")], later)
    await store.inbox.accept("terminal", [RawUpdate("9", "c")], later + timedelta(minutes=1))
    assert await store.inbox.newest("telegram") == later


async def test_the_chats_of_a_channel_are_listed_newest_first_and_no_others(store: StorePorts):
    addresses = [Address("tele", "1"), Address("telegram", "2"), Address("telegram", "-3", "4")]
    for address in addresses:
        await store.chats.at(address, private=True)
    assert await store.chats.of_channel("telegram", 9) == [addresses[2], addresses[1]]
    assert await store.chats.of_channel("telegram", 1) == [addresses[2]]
    assert await store.chats.of_channel("discord", 9) == []
