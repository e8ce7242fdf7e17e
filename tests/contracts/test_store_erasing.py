"""Words are erased for good; rows, numbers and the pairing of calls stay."""

import sqlite3
from contextlib import closing

import pytest

from bot.domain.change import (
    AddArtifact,
    AddNote,
    Append,
    Erase,
    KeepPassage,
    SaveConversation,
    SaveTurn,
)
from bot.domain.chat import Chat, Conversation
from bot.domain.erasing import Target
from bot.domain.errors import FenceLost
from bot.domain.note import Note
from bot.domain.outcome import StopReason
from bot.domain.passage import Passage, whose
from bot.domain.transcript import CutBody, RecallBody, ReplyBody, ResultBody
from bot.domain.turn import TurnState
from tests.contracts.store_ports import StorePorts
from tests.contracts.store_samples import BODIES, NOW, a_turn, an_entry, commit, shown

SECRET = "xyzzyplugh"


async def said(store: StorePorts, chat: Chat, id: str, first: int) -> None:
    """A settled turn that says a secret in every place there is."""
    turn = a_turn(chat, id, state=TurnState.SETTLED, stop_reason=StopReason.FINAL_ANSWER)
    bodies = [body for body in BODIES if not isinstance(body, CutBody)]
    lines = [an_entry(chat, first + n, body, id) for n, body in enumerate(bodies)]
    lines.append(an_entry(chat, first + len(bodies), turn=id, body=RecallBody(("x",), SECRET)))
    passage = Passage(id, whose(chat, 1), NOW, SECRET, SECRET, 1, "Ann", chat.id, chat.conversation)
    await commit(
        store,
        SaveTurn(turn),
        Append(chat.id, tuple(lines)),
        KeepPassage(passage),
        shown(chat, f"answer:{id}", SECRET),
        AddArtifact(f"{id}-1", chat.id, SECRET),
    )
    await store.words.take_in(await store.memory.owed(10))


async def texts(store: StorePorts, chat: Chat) -> str:
    return str([entry.body for entry in await store.journal.entries(chat.conversation)])


async def test_one_turn_loses_its_words_and_nothing_else(store: StorePorts, chat: Chat) -> None:
    await said(store, chat, "one", 1)
    await said(store, chat, "two", len(BODIES) + 1)
    fence = await store.journal.claim(chat.id)
    before = await store.journal.entries(chat.conversation)
    await commit(store, Erase(Target("p1", turn="one")))
    after = await store.journal.entries(chat.conversation)
    assert [e.seq for e in after] == [*(e.seq for e in before), len(before) + 1]
    assert isinstance(after[-1].body, CutBody)
    pairs = [
        (old.body, new.body) for old, new in zip(before, after, strict=False) if new.turn == "one"
    ]
    for old, new in pairs:
        assert type(old) is type(new)
        if isinstance(old, ReplyBody) and isinstance(new, ReplyBody):
            assert [c.id for c in old.calls] == [c.id for c in new.calls]
        if isinstance(old, ResultBody) and isinstance(new, ResultBody):
            assert old.result.call_id == new.result.call_id
    ours = str([new for _, new in pairs])
    assert all(word not in ours for word in (SECRET, "fix the tests", "3 passed", "pytest -q"))
    assert "[erased 2026-11-21]" in ours
    assert SECRET in await texts(store, chat), "the other turn keeps its words"
    assert await store.ledger.artifact(chat.id, "one-1") == "[erased 2026-11-21]"
    assert await store.ledger.artifact(chat.id, "two-1") == SECRET
    row = await store.outbox.row("answer:one")
    assert row is not None
    assert SECRET not in str(row.content)
    assert await store.memory.get("one") is None
    assert [hit.id for hit in await store.words.search(SECRET, "p1", 5)] == ["two"]
    with pytest.raises(FenceLost):
        await commit(store, SaveTurn(a_turn(chat, "late")), fence=fence)


async def test_a_conversation_or_everything_is_erased(store: StorePorts, chat: Chat) -> None:
    await said(store, chat, "one", 1)
    await commit(
        store, SaveConversation(Conversation(chat.conversation, chat.id, NOW, None, SECRET, SECRET))
    )
    await commit(store, AddNote(Note("n", "p1", SECRET, NOW, 1)))
    await commit(store, Erase(Target("p1", conversation=chat.conversation)))
    assert SECRET not in await texts(store, chat)
    known = await store.chats.conversation(chat.id, chat.conversation)
    assert known is not None
    assert SECRET not in known.title + known.summary
    assert len(await store.notes.of("p1", 5)) == 1
    await commit(store, Erase(Target("p1")))
    assert await store.notes.of("p1", 5) == []
    assert (await store.memory.standing()).passages == 0


async def test_a_turn_under_way_and_others_stay(store: StorePorts, chat: Chat) -> None:
    await said(store, chat, "one", 1)
    await commit(store, SaveTurn(a_turn(chat, "one", state=TurnState.RUNNING)))
    before = await texts(store, chat)
    await commit(store, Erase(Target("p2")), Erase(Target("p1", turn="one")))
    assert await texts(store, chat) == before


@pytest.mark.parametrize("store", ["sqlite"], indirect=True)
async def test_nothing_is_left_in_the_file(store: StorePorts, chat: Chat, sqlite_url: str) -> None:
    await said(store, chat, "one", 1)
    await commit(store, Erase(Target("p1", turn="one")))
    path = sqlite_url.removeprefix("sqlite:///")
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    with open(path, "rb") as file:  # noqa: ASYNC230, PTH123
        assert SECRET.encode() not in file.read()
