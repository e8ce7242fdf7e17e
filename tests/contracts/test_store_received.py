"""The record of files that people sent."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

from bot.domain.change import JoinChats, SaveApproval, SaveReceived, SaveTurn
from bot.domain.talk.chat import Chat
from bot.domain.talk.message import Address
from bot.domain.talk.received import ReceivedFile
from bot.domain.turn.turn import TurnState
from tests.contracts.store_ports import StorePorts
from tests.contracts.store_samples import NOW, a_card, a_turn, commit

DAY = timedelta(days=1)


def a_file(chat: Chat, key: str = "7/u", **changed: Any) -> ReceivedFile:
    file = ReceivedFile(chat.id, key, "/w", f"inbox/{key[0]}.csv", 3, "d" * 64, NOW)
    return replace(file, **changed)


async def test_a_file_is_found_by_its_chat_and_key(store: StorePorts, chat: Chat) -> None:
    other = await store.chats.at(Address("telegram", "43"), private=True)
    await commit(store, SaveReceived(a_file(chat, "7/u")), SaveReceived(a_file(other, "7/u")))
    found = await store.received.get(chat.id, "7/u")
    assert found is not None
    assert replace(found, id=0) == a_file(chat, "7/u")
    assert await store.received.get(chat.id, "8/u") is None


async def test_saved_again_it_is_the_same_row(store: StorePorts, chat: Chat) -> None:
    await commit(store, SaveReceived(a_file(chat)))
    first = await store.received.get(chat.id, "7/u")
    await commit(store, SaveReceived(a_file(chat, path="inbox/a (2).csv", kept_at=NOW + DAY)))
    again = await store.received.get(chat.id, "7/u")
    assert first is not None
    assert again == replace(first, path="inbox/a (2).csv", kept_at=NOW + DAY)


async def test_files_that_are_due_come_by_number(store: StorePorts, chat: Chat) -> None:
    files = [a_file(chat, f"{n}/u") for n in range(4)]
    late, swept = a_file(chat, "8/u", kept_at=NOW + DAY), a_file(chat, "9/u", swept=True)
    await commit(store, *map(SaveReceived, (*files, late, swept)))
    due = await store.received.due(NOW + DAY, 0, 3)
    assert [file.key for file in due] == ["0/u", "1/u", "2/u"]
    more = await store.received.due(NOW + DAY, due[-1].id, 3)
    assert [file.key for file in more] == ["3/u"]


async def test_digests_stay_when_a_file_is_swept(store: StorePorts, chat: Chat) -> None:
    one, two = a_file(chat, swept=True), a_file(chat, "8/u", size=4, digest="e" * 64)
    await commit(store, SaveReceived(one), SaveReceived(two))
    assert set(await store.received.digests([3])) == {(3, "d" * 64)}
    assert set(await store.received.digests([3, 4, 5])) == {(3, "d" * 64), (4, "e" * 64)}
    assert set(await store.received.digests([])) == set()


async def test_chats_with_open_work_are_named(store: StorePorts, chat: Chat) -> None:
    other = await store.chats.at(Address("telegram", "43"), private=True)
    over = replace(a_turn(chat, "over"), state=TurnState.SETTLED)
    parked = replace(a_turn(other, "parked"), state=TurnState.PARKED)
    await commit(store, SaveTurn(over), SaveTurn(parked))
    assert list(await store.received.in_use()) == [(other.id, parked.asker)]
    card = a_card(chat, turn="over")
    await commit(store, SaveApproval(card))
    assert set(await store.received.in_use()) == {(chat.id, card.asker), (other.id, parked.asker)}


async def test_files_of_a_joined_chat_belong_to_the_other_one(store: StorePorts) -> None:
    old = await store.chats.at(Address("telegram", "-1"), private=False)
    new = await store.chats.at(Address("telegram", "-2"), private=False)
    await commit(store, SaveReceived(a_file(old)), SaveReceived(a_file(new)))
    await commit(store, SaveReceived(a_file(new, "8/u")))
    await commit(store, JoinChats(old.address, new.address))
    found = [await store.received.get(old.id, key) for key in ("7/u", "8/u")]
    assert None not in found
