"""Changes of files that can be taken back, and the contents that they keep."""

from dataclasses import replace

import pytest

from bot.domain.change import (
    DropFileChange,
    DropPassage,
    Erase,
    JoinChats,
    KeepPassage,
    SaveFileChange,
    SaveTurn,
)
from bot.domain.change.erasing import Target
from bot.domain.memory.passage import Passage, whose
from bot.domain.talk.chat import Chat
from bot.domain.talk.errors import Conflict
from bot.domain.talk.message import Address
from bot.domain.tools.file_change import FileChange, Stage, token_of
from bot.domain.turn.turn import TurnState
from bot.ports.file_changes import KeptSize
from tests.contracts.store_ports import StorePorts
from tests.contracts.store_samples import NOW, a_turn, commit, later


def a_change(chat: Chat, id: str = "one", task: str = "turn-1", at: float = 0) -> FileChange:
    return FileChange(
        id=id,
        chat=chat.id,
        turn=task,
        task=task,
        call="call_1",
        asker=1,
        root="/workspace",
        path="notes/ü.md",
        content=b"\x00\xff old",
        mode=0o640,
        now=token_of(b"new"),
        at=later(at),
    )


async def test_a_change_comes_back_as_it_was_and_moves_on(store: StorePorts, chat: Chat) -> None:
    change = a_change(chat)
    await commit(store, SaveFileChange(change))
    known = await store.file_changes.get("one")
    assert known is not None
    assert known == replace(change, number=known.number)
    begun = known.amended(stage=Stage.BEGUN, spare=b"new", spare_now=known.now, by="undo-1")
    await commit(store, SaveFileChange(begun, known.version))
    flipped = begun.flipped()
    await commit(store, SaveFileChange(flipped, begun.version))
    assert await store.file_changes.get("one") == flipped
    assert (flipped.content, flipped.now, flipped.undone) == (
        b"new",
        token_of(change.content),
        True,
    )
    assert await store.file_changes.asked_by("undo-1") == [flipped]
    await commit(store, DropFileChange("one"))
    assert await store.file_changes.get("one") is None


async def test_a_change_that_moved_meanwhile_is_a_conflict(store: StorePorts, chat: Chat) -> None:
    change = a_change(chat)
    await commit(store, SaveFileChange(change))
    moved = change.amended(stage=Stage.ASKED)
    await commit(store, SaveFileChange(moved, 0))
    with pytest.raises(Conflict):
        await commit(store, SaveFileChange(moved, 0))
    with pytest.raises(Conflict):
        await commit(store, SaveFileChange(change))


async def test_changes_are_found_by_turn_the_newest_first(store: StorePorts, chat: Chat) -> None:
    for id, task in (("z", "turn-1"), ("y", "turn-1"), ("x", "turn-2")):
        await commit(store, SaveFileChange(a_change(chat, id, task)))
    assert [c.id for c in await store.file_changes.of_task("turn-1")] == ["y", "z"]
    assert await store.file_changes.newest_task(chat.id) == "turn-2"
    last = await store.file_changes.get("x")
    assert last is not None
    await commit(store, SaveFileChange(last.amended(undone=True), last.version))
    assert await store.file_changes.newest_task(chat.id) == "turn-1"
    assert await store.file_changes.newest_task(chat.id + 1) is None


async def test_old_changes_are_due_and_sizes_are_told(store: StorePorts, chat: Chat) -> None:
    for id, at in (("a", 0), ("b", 10), ("c", 20)):
        await commit(store, SaveFileChange(a_change(chat, id, at=at)))
    assert [c.id for c in await store.file_changes.due(later(15), 5)] == ["a", "b"]
    assert [c.id for c in await store.file_changes.due(later(15), 1)] == ["a"]
    assert await store.file_changes.due(NOW, 5) == []
    assert await store.file_changes.sizes() == [KeptSize(id, chat.id, 6) for id in ("c", "b", "a")]


async def test_a_passage_is_dropped_alone(store: StorePorts, chat: Chat) -> None:
    made = (("t1", "old"), ("t2", "kept"))
    for id, words in made:
        one = Passage(id, "p1", NOW, "question", words, 1, "Ann", chat.id, chat.conversation)
        await commit(store, KeepPassage(one))
    await commit(store, DropPassage("t1", chat.conversation))
    assert await store.memory.get("t1") is None
    assert await store.memory.get("t2") is not None


async def test_what_a_turn_replaced_is_erased_with_it(store: StorePorts, chat: Chat) -> None:
    settled = a_turn(chat, state=TurnState.SETTLED)
    erranded = replace(a_change(chat, "two"), turn="errand-1")
    kept = a_change(chat, "three", "turn-2")
    changes = (a_change(chat), erranded, kept)
    await commit(store, SaveTurn(settled), *(SaveFileChange(one) for one in changes))
    await commit(store, Erase(Target(whose(chat, 1), "turn-1")))
    assert [size.id for size in await store.file_changes.sizes()] == ["three"]


async def test_changes_move_with_their_chat(store: StorePorts, chat: Chat) -> None:
    new = Address("telegram", "-100200")
    other = await store.chats.at(new, private=False)
    await commit(store, SaveFileChange(a_change(chat)))
    await commit(store, JoinChats(chat.address, new))
    (size,) = await store.file_changes.sizes()
    assert size.chat in (other.id, chat.id)
    assert (await store.chats.get(size.chat)).address == new
