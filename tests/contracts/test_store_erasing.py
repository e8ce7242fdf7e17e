"""Words are erased for good; rows, numbers and the pairing of calls stay."""

import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import TypeGuard

import pytest
from sqlalchemy import Engine, NullPool, create_engine, event, inspect

from bot.domain.change import (
    AddArtifact,
    AddAudit,
    AddNote,
    Append,
    DropNote,
    Erase,
    InboundState,
    KeepPassage,
    MarkInbound,
    ReadPast,
    SaveApproval,
    SaveConversation,
    SavePlan,
    SaveTurn,
    Show,
    Write,
)
from bot.domain.change.erasing import ECHOES, MARKED, Target, as_kept
from bot.domain.consent.approval import ApprovalState
from bot.domain.memory.note import Note, changed_id, note_id
from bot.domain.memory.passage import Passage, whose
from bot.domain.plans.plan import PlanState
from bot.domain.talk.chat import Chat, Conversation
from bot.domain.talk.errors import FenceLost
from bot.domain.talk.message import Address, Outbound, OutboundKind, Plain, RawUpdate
from bot.domain.tools.tool import Effect, Preview, Status, ToolCall, ToolResult
from bot.domain.turn.outcome import StopReason
from bot.domain.turn.transcript import (
    AskerBody,
    CallPart,
    CutBody,
    Entry,
    RecallBody,
    ReplyBody,
    ResultBody,
    TextPart,
    ThinkingPart,
)
from bot.domain.turn.turn import TurnState
from bot.ports.outbox import Delivered, DeliveryState, OutboxRow
from tests.contracts.store_ports import StorePorts
from tests.contracts.store_samples import (
    BODIES,
    NOW,
    SEEN,
    a_card,
    a_plan,
    a_step,
    a_turn,
    an_entry,
    commit,
    shown,
)

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
        shown(chat, f"answer:{id}", SECRET, id),
        AddArtifact(f"{id}-1", chat.id, SECRET, id),
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
    words = (SECRET, "fix the tests", "3 passed", "pytest -q", SEEN.data)
    assert all(word not in ours for word in words)
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


async def test_the_copy_of_words_written_elsewhere_goes_with_their_turn(
    store: StorePorts, chat: Chat
) -> None:
    await said(store, chat, "one", 1)
    (row,) = await store.inbox.accept("terminal", [RawUpdate("typed", "{}")], NOW)
    taken = MarkInbound(row.id, InboundState.DONE, (row.state,), chat.id, turn="one")
    await commit(store, taken, shown(chat, f"{ECHOES}{row.id}", SECRET))
    await commit(store, Erase(Target("p1", turn="one")))
    copy = await store.outbox.row(f"{ECHOES}{row.id}")
    assert copy is not None
    assert SECRET not in str(copy.content)


async def test_what_is_erased_while_the_past_is_read_does_not_come_back(
    store: StorePorts, chat: Chat
) -> None:
    await said(store, chat, "one", 1)
    await said(store, chat, "two", len(BODIES) + 1)
    read = [await store.memory.get(id) for id in ("one", "two")]
    await commit(store, Erase(Target("p1", turn="one")))
    kept = [KeepPassage(one) for one in read if one is not None]
    await commit(store, *kept, ReadPast(chat.conversation))
    assert await store.memory.get("one") is None
    assert await store.memory.get("two") == read[1]


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
    assert (await store.memory.condition()).passages == 0


async def test_a_turn_under_way_and_others_stay(store: StorePorts, chat: Chat) -> None:
    await said(store, chat, "one", 1)
    await commit(store, SaveTurn(a_turn(chat, "one", state=TurnState.RUNNING)))
    before = await texts(store, chat)
    await commit(store, Erase(Target("p2")), Erase(Target("p1", turn="one")))
    assert await texts(store, chat) == before


def delivered(row: OutboxRow) -> Delivered:
    return Delivered(row.id, row.version, DeliveryState.SHOWN, row.version, (), ("5",), 1, NOW)


async def planted(store: StorePorts, chat: Chat) -> Chat:
    """Says the secret where no passage tells it; returns another chat, which recalls it."""
    failed = a_turn(chat, "f", state=TurnState.SETTLED, said=SECRET)
    call = ToolCall("call_9", "run_command", f'{{"command": "{SECRET}"}}', {"command": SECRET})
    seen = Preview(SECRET, SECRET, Effect.WRITE)
    card = a_card(chat, "k", turn="f", call=call, preview=seen, purpose=SECRET)
    step = a_step(1, arguments=f'{{"path":"{SECRET}"}}', description=SECRET, preview=seen)
    plan = a_plan(chat, "q", title=SECRET, summary=SECRET, wish=SECRET, steps=(step,))
    ended = replace(plan, state=PlanState.CANCELLED, ended_at=NOW, version=2)
    ran = {"turn": "f", "call": "call_9", "arguments": SECRET}
    await store.inbox.accept("telegram", [RawUpdate("1", SECRET)], NOW)
    (row,) = await store.inbox.unrouted(5)
    other = await store.chats.at(Address("telegram", "43"), private=True)
    again = RecallBody(("f",), SECRET)
    told = ("noted:n", f"command:{row.id}", f"copy:7:{row.id}")
    of_turn = ("said:f:1", "calls:f:1", "rest:f", "wait:f", "servers:f")
    await commit(
        store,
        SaveTurn(failed),
        Append(chat.id, (an_entry(chat, 1, AskerBody(SECRET, "Ann"), "f"),)),
        SaveApproval(replace(card, state=ApprovalState.DENIED, reason=SECRET)),
        SavePlan(plan, None, (step,)),
        SavePlan(ended, 1, (replace(step, outcome=SECRET),)),
        AddAudit(NOW, chat.id, 1, "call.ran", SECRET, ran),
        AddAudit(NOW, chat.id, 1, "card.opened", SECRET, ran),
        AddNote(Note("n", "p1", SECRET, NOW, 1)),
        MarkInbound(row.id, InboundState.DONE, (InboundState.NEW,), chat=chat.id, person=1),
        *(shown(chat, key, SECRET) for key in told),
        *(shown(chat, key, SECRET, "f") for key in of_turn),
        shown(chat, "plan:q:1", SECRET, "q"),
        SaveTurn(a_turn(other, "o", state=TurnState.SETTLED)),
        Append(other.id, (Entry(1, other.conversation, "o", NOW, again),)),
    )
    for each in await store.outbox.owed(chat.id):
        await store.outbox.record(delivered(each))
    return other


async def test_a_conversation_is_erased_where_another_chat_recalled_it(
    store: StorePorts, chat: Chat
) -> None:
    other = await planted(store, chat)
    await commit(store, Erase(Target("p1", conversation=chat.conversation)))
    assert SECRET not in await texts(store, chat)
    assert SECRET not in await texts(store, other)
    assert SECRET not in str([await store.approvals.get("k"), await store.plans.get("q")])
    assert SECRET not in str(await store.ledger.audit(chat.id, 9))


async def test_everything_is_erased_without_any_passage(store: StorePorts, chat: Chat) -> None:
    other = await planted(store, chat)
    await commit(store, Erase(Target("p2")))
    assert SECRET in await texts(store, chat), "nobody erases what others said"
    await commit(store, Erase(Target("p1")))
    assert SECRET not in await texts(store, chat) + await texts(store, other)
    for key in ("noted:n", "said:f:1", "calls:f:1", "plan:q:1", "rest:f", "servers:f"):
        row = await store.outbox.row(key)
        assert row is not None, "the row stays"
        assert SECRET not in str(row.content)


async def test_what_goes_on_keeps_its_words(store: StorePorts, chat: Chat) -> None:
    await planted(store, chat)
    live = a_plan(chat, "live", title=SECRET)
    await commit(
        store,
        SaveTurn(a_turn(chat, "w", state=TurnState.PARKED)),
        SaveApproval(a_card(chat, "open", turn="w")),
        SavePlan(live, None, ()),
        shown(chat, "card:open", SECRET, "open"),
        shown(chat, "plan:live:1", SECRET, "live"),
    )
    await commit(store, Erase(Target("p1")))
    for key in ("card:open", "plan:live:1"):
        row = await store.outbox.row(key)
        assert row is not None
        assert SECRET in str(row.content)
    assert SECRET in str(await store.plans.get("live"))


async def test_a_card_that_outlived_its_turn_knows_that_this_was_erased(
    store: StorePorts, chat: Chat
) -> None:
    await planted(store, chat)
    seen = Preview(SECRET, SECRET, Effect.WRITE)
    card = a_card(chat, "open", turn="f", preview=seen, purpose=SECRET)
    aside = replace(card, set_aside=True)
    await commit(store, SaveApproval(aside), shown(chat, "card:open", SECRET, "open"))
    await commit(store, Erase(Target("p1")))
    known = await store.approvals.get("open")
    assert known is not None
    assert known.purpose.startswith(MARKED)
    assert known == replace(aside, purpose=known.purpose)
    assert as_kept(known) == known, "it is open"
    denied = as_kept(replace(known, state=ApprovalState.DENIED, reason="Later."))
    assert (SECRET in str(denied), denied.reason) == (False, "Later.")


FOUND = ToolResult("c", "recall", Status.SUCCESS, SECRET, passages=("one", "x"))
"""What the tool `recall` quoted of the answer `one`."""


async def quoting(store: StorePorts, result: ToolResult) -> Chat:
    """Another chat, in which a tool told the secret again."""
    other = await store.chats.at(Address("telegram", "43"), private=True)
    await commit(
        store,
        SaveTurn(a_turn(other, "o", state=TurnState.SETTLED, stop_reason=StopReason.FINAL_ANSWER)),
        Append(other.id, (Entry(1, other.conversation, "o", NOW, AskerBody("what?", "Ann")),)),
        Append(other.id, (Entry(2, other.conversation, "o", NOW, ResultBody(result)),)),
        AddArtifact("o-1", other.id, SECRET, "o"),
    )
    await store.inbox.accept("telegram", [RawUpdate("s", SECRET)], NOW)
    (row,) = await store.inbox.unrouted(5)
    listed = Outbound(OutboundKind.OPTION, (Plain(f"{SECRET} · `one`"),))
    await commit(
        store,
        SaveConversation(Conversation(other.conversation, other.id, NOW, None, "what?", SECRET)),
        MarkInbound(row.id, InboundState.DONE, (InboundState.NEW,), chat=other.id, person=1),
        Show(f"command:{row.id}", other.id, listed),
        Show("calls:o:1", other.id, listed, about="o"),
        Show("calls:another:1", other.id, listed, about="another"),
    )
    return other


@pytest.mark.parametrize("target", [Target("p1", turn="one"), Target("p1", conversation="here")])
async def test_what_a_tool_quoted_elsewhere_goes_too(
    store: StorePorts, chat: Chat, target: Target
) -> None:
    if target.conversation is not None:
        target = replace(target, conversation=chat.conversation)
    await said(store, chat, "one", 1)
    other = await quoting(store, replace(FOUND, artifact="o-1", truncated=True))
    await commit(
        store,
        Append(
            other.id,
            (
                Entry(3, other.conversation, "o", NOW, ResultBody(replace(FOUND, passages=("x",)))),
                Entry(4, other.conversation, "o", NOW, AskerBody("again", "Ann")),
            ),
        ),
    )
    await commit(store, Erase(target))
    bodies = [entry.body for entry in await store.journal.entries(other.conversation)]
    assert isinstance(bodies[1], ResultBody)
    assert bodies[1].result.text == "[erased 2026-11-21]"
    assert isinstance(bodies[2], ResultBody)
    assert bodies[2].result.text == SECRET, "another passage stays"
    assert isinstance(bodies[-1], CutBody)
    assert await store.ledger.artifact(other.id, "o-1") == "[erased 2026-11-21]"
    known = await store.chats.conversation(other.id, other.conversation)
    assert known is not None
    assert (known.title, known.summary) == ("what?", "[erased 2026-11-21]")
    outbox = [await store.outbox.row(f"command:{n}") for n in range(1, 9)]
    assert SECRET not in str([row.content for row in outbox if row is not None])
    calls = [await store.outbox.row(f"calls:{turn}:1") for turn in ("o", "another")]
    assert [SECRET in str(row) for row in calls] == [False, True], "of that turn alone"


async def test_a_result_of_an_older_version_goes_with_the_first_forgetting(
    store: StorePorts, chat: Chat
) -> None:
    await said(store, chat, "one", 1)
    other = await quoting(store, replace(FOUND, passages=()))
    await commit(store, Erase(Target("p1", turn="one")))
    assert SECRET not in await texts(store, other)


async def test_presses_of_an_older_version_go_with_the_first_forgetting(
    store: StorePorts, chat: Chat
) -> None:
    await store.inbox.accept("telegram", [RawUpdate("1", SECRET), RawUpdate("2", SECRET)], NOW)
    pressed, waiting = await store.inbox.unrouted(5)
    await commit(store, MarkInbound(pressed.id, InboundState.DONE, (InboundState.NEW,)))
    await commit(store, Erase(Target("p1", turn="none")))
    rows = [await store.inbox.get(row.id) for row in (pressed, waiting)]
    assert [row.body for row in rows if row is not None] == ["", SECRET]


async def test_a_title_goes_with_the_words_it_was_made_of(store: StorePorts, chat: Chat) -> None:
    await said(store, chat, "one", 1)
    await said(store, chat, "two", len(BODIES) + 1)
    titled = Conversation(chat.conversation, chat.id, NOW, None, SECRET, SECRET)
    await commit(store, SaveConversation(titled))
    await commit(store, Erase(Target("p1", turn="two")))
    known = await store.chats.conversation(chat.id, chat.conversation)
    assert known is not None
    assert (known.title, known.summary) == (SECRET, "[erased 2026-11-21]")
    await commit(store, Erase(Target("p1", turn="one")))
    known = await store.chats.conversation(chat.id, chat.conversation)
    assert known is not None
    assert known.title == "[erased 2026-11-21]"


@pytest.mark.parametrize("write", [DropNote("n"), Erase(Target("p1", turn="note:n"))])
async def test_a_deleted_note_leaves_no_words_where_it_was_shown(
    store: StorePorts, chat: Chat, write: Write
) -> None:
    note = Note("n", "p1", SECRET, NOW, 1)
    told = an_entry(chat, 1, turn="t", body=RecallBody(("note:n",), SECRET))
    await commit(
        store,
        AddNote(note),
        KeepPassage(note.as_passage(chat)),
        shown(chat, "noted:n", SECRET),
        SaveTurn(a_turn(chat, "t", state=TurnState.SETTLED)),
        Append(chat.id, (told,)),
    )
    await commit(store, write)
    assert await store.notes.get("n") is None
    assert await store.memory.get("note:n") is None
    row = await store.outbox.row("noted:n")
    assert row is not None
    assert SECRET not in str(row.content)
    # What a model has before it goes only where a person wants it erased.
    assert (SECRET in await texts(store, chat)) is isinstance(write, DropNote)


async def test_the_record_of_what_goes_on_keeps_its_words(store: StorePorts, chat: Chat) -> None:
    await planted(store, chat)
    card = a_card(chat, "open", turn="w")
    await commit(
        store,
        SaveTurn(a_turn(chat, "w", state=TurnState.PARKED)),
        SaveApproval(card),
        AddAudit(NOW, chat.id, 1, "card.opened", SECRET, {"turn": "w", "card": "open"}),
    )
    await commit(store, Erase(Target("p1")))
    told = [(line.subject, line.details) for line in await store.ledger.audit(chat.id, 9)]
    assert [subject for subject, details in told if details.get("turn") == "w"] == [SECRET]
    assert SECRET not in str([each for each in told if each[1].get("turn") != "w"])


@pytest.mark.parametrize(
    ("store", "where"),
    [
        ("sqlite", "sqlite_url"),
        pytest.param("postgres", "postgres_url", marks=pytest.mark.postgres),
    ],
    indirect=["store"],
)
async def test_no_table_holds_a_word_after_everything(
    store: StorePorts, chat: Chat, where: str, request: pytest.FixtureRequest
) -> None:
    url: str = request.getfixturevalue(where)
    other = await planted(store, chat)
    await said(store, other, "p", 2)
    before = holding(url)
    assert {"entry", "outbox", "inbox", "plan", "plan_step", "audit", "approval"} <= before
    row = await store.outbox.row("answer:p")
    assert row is not None
    await store.outbox.record(delivered(row))
    await commit(store, Erase(Target("p1")))
    assert holding(url) == set()


def holding(url: str) -> set[str]:
    """Returns the tables that hold the secret, of all that the database has."""
    engine = create_engine(url, poolclass=NullPool)
    with engine.connect() as connection:
        return {
            name
            for name in inspect(connection).get_table_names()
            for row in connection.exec_driver_sql(f'SELECT * FROM "{name}"')
            if any(
                SECRET in (bytes(one).decode(errors="replace") if _is_raw(one) else str(one))
                for one in row
            )
        }


def _is_raw(value: object) -> TypeGuard[bytes | memoryview]:
    return isinstance(value, bytes | memoryview)


@pytest.mark.parametrize(
    "target", [Target("p1", turn="turn-1"), Target("p1", conversation="here"), Target("p1")]
)
async def test_a_bill_of_tasks_goes_with_the_question_that_it_names(
    store: StorePorts, chat: Chat, target: Target
) -> None:
    if target.conversation is not None:
        target = replace(target, conversation=chat.conversation)
    question = f'"{SECRET}"\nwhere `is` it, über alles?'
    passage = Passage("turn-1", "p1", NOW, question, "there", 1, "Ann", chat.id, chat.conversation)
    settled = a_turn(chat, state=TurnState.SETTLED, stop_reason=StopReason.FINAL_ANSWER)
    head = "Usage of all chats"
    bills = (f'{head}\n21 Nov 12:00 "{SECRET}" where …', f"{head}\nAnn")
    await commit(store, SaveTurn(settled), KeepPassage(passage))
    for number, bill in enumerate(bills):
        await store.inbox.accept("telegram", [RawUpdate(str(number), "x")], NOW)
        (row,) = await store.inbox.unrouted(5)
        await commit(
            store,
            MarkInbound(row.id, InboundState.DONE, (InboundState.NEW,), chat=chat.id, person=1),
            shown(chat, f"command:{row.id}", bill),
        )
    for each in await store.outbox.owed(chat.id):
        await store.outbox.record(delivered(each))
    told = [row.key for row in await rows_of(store, 2)]
    await commit(store, Erase(target))
    left = [str(row.content) for row in await rows_of(store, 2)]
    assert len(told) == 2
    assert SECRET not in str(left)
    assert ("Ann" in left[1]) is not target.everything, "a bill without the words stays"


async def rows_of(store: StorePorts, count: int) -> list[OutboxRow]:
    """Returns the answers to the first commands."""
    found = [await store.outbox.row(f"command:{n}") for n in range(1, count + 1)]
    return [row for row in found if row is not None]


@pytest.mark.parametrize("store", ["sqlite"], indirect=True)
async def test_many_turns_are_erased_by_about_as_many_statements_as_few(
    store: StorePorts, chat: Chat
) -> None:
    counted: list[str] = []

    def count(_connection: object, _cursor: object, statement: str, *_: object) -> None:
        counted.append(statement)

    needed: list[int] = []
    for many in (2, 400):
        for n in range(many):
            id = f"{many}-{n}"
            settled = a_turn(chat, id, state=TurnState.SETTLED)
            await commit(store, SaveTurn(settled), shown(chat, f"answer:{id}", SECRET, id))
        counted.clear()
        event.listen(Engine, "before_cursor_execute", count)
        try:
            await commit(store, Erase(Target("p1", conversation=chat.conversation)))
        finally:
            event.remove(Engine, "before_cursor_execute", count)
        needed.append(len(counted))
    assert needed[1] < needed[0] + 10


@pytest.mark.parametrize("store", ["sqlite"], indirect=True)
async def test_nothing_is_left_in_the_file(store: StorePorts, chat: Chat, sqlite_url: str) -> None:
    await said(store, chat, "one", 1)
    await commit(store, Erase(Target("p1", turn="one")))
    path = sqlite_url.removeprefix("sqlite:///")
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    assert SECRET.encode() not in _content(path)


def _content(path: str) -> bytes:
    return Path(path).read_bytes()


async def test_a_note_loses_its_call_its_record_and_the_card_that_offered_to_delete_it(
    store: StorePorts, chat: Chat
) -> None:
    id = note_id("t", "call_1")
    later = changed_id(id, SECRET)
    turn = a_turn(chat, "t", state=TurnState.SETTLED, stop_reason=StopReason.FINAL_ANSWER)
    taken = ToolCall("call_1", "remember", f'{{"note": "{SECRET}"}}', {"note": SECRET})
    beside = ToolCall("call_2", "look", '{"at": "the sky"}', {"at": "the sky"})
    deleted = ToolCall("call_3", "forget", f'{{"note": "{id}"}}', {"note": id})
    others = ToolCall("call_1", "remember", '{"note": "mine"}', {"note": "mine"})
    parts = (ThinkingPart({"thinking": SECRET}), TextPart("I will."))
    made = next(body for body in BODIES if isinstance(body, ReplyBody))
    reply = replace(made, parts=(*parts, *map(CallPart, (taken, beside, deleted))))
    seen = Preview("Delete a note", SECRET, Effect.WRITE, (Plain(SECRET),))
    card = a_card(chat, "k", turn="t", call=deleted, preview=seen, state=ApprovalState.DENIED)
    ran = {"turn": "t", "call": "call_1", "arguments": SECRET}
    await commit(
        store,
        SaveTurn(turn),
        SaveTurn(replace(turn, id="u")),
        Append(
            chat.id,
            (
                an_entry(chat, 1, reply, "t"),
                an_entry(chat, 2, replace(made, parts=(CallPart(others),)), "u"),
                an_entry(chat, 3, RecallBody((f"note:{later}",), SECRET), "u"),
            ),
        ),
        SaveApproval(card),
        shown(chat, "card:k", SECRET, "k"),
        AddAudit(NOW, chat.id, 1, "call.ran", SECRET, ran),
        AddAudit(NOW, chat.id, 1, "call.ran", "mine", {**ran, "turn": "u", "arguments": "mine"}),
        AddAudit(NOW, chat.id, 1, "card.opened", SECRET, {"card": "k"}),
        AddNote(Note(later, "p1", SECRET, NOW, 1)),
    )
    await commit(store, Erase(Target("p1", turn=f"note:{later}")))
    assert await store.notes.get(later) is None
    log = await texts(store, chat)
    assert SECRET not in log
    assert all(word in log for word in ("I will.", "the sky", "mine", "call_1", "call_3"))
    assert "CutBody" in log, "the view does not begin anew"
    row, left = await store.outbox.row("card:k"), await store.approvals.get("k")
    assert row is not None
    assert left is not None
    assert SECRET not in str((row.content, left, await store.ledger.audit(chat.id, 10)))
    assert "mine" in str(await store.ledger.audit(chat.id, 10))


async def test_the_call_of_a_turn_under_way_stays_though_its_note_is_forgotten(
    store: StorePorts, chat: Chat
) -> None:
    id = note_id("t", "call_1")
    made = next(body for body in BODIES if isinstance(body, ReplyBody))
    taken = ToolCall("call_1", "remember", f'{{"note": "{SECRET}"}}', {"note": SECRET})
    reply = replace(made, parts=(CallPart(taken),))
    told = RecallBody((f"note:{id}",), "the note again")
    await commit(
        store,
        SaveTurn(a_turn(chat, "t", state=TurnState.RUNNING)),
        SaveTurn(a_turn(chat, "u", state=TurnState.SETTLED, stop_reason=StopReason.FINAL_ANSWER)),
        Append(chat.id, (an_entry(chat, 1, told, "u"), an_entry(chat, 2, reply, "t"))),
        AddNote(Note(id, "p1", SECRET, NOW, 1)),
        KeepPassage(Passage("u", "p1", NOW, "q", "a", 1, "Ann", chat.id, chat.conversation)),
    )
    await commit(store, Erase(Target("p1", turn=f"note:{id}")))
    assert await store.notes.get(id) is None
    log = await texts(store, chat)
    assert SECRET in log
    assert "the note again" not in log


async def test_a_card_that_was_changed_goes_with_its_copy(store: StorePorts, chat: Chat) -> None:
    turn = a_turn(chat, "t", state=TurnState.SETTLED, stop_reason=StopReason.FINAL_ANSWER)
    card = a_card(chat, "k", turn="t", state=ApprovalState.DENIED)
    await commit(store, SaveTurn(turn), SaveApproval(card), shown(chat, "card:k", SECRET, "k"))
    original = await store.outbox.row("card:k")
    assert original is not None
    copy = Show("copy:9", chat.id, original.content, copy_of=original.id, about=original.about)
    await commit(store, copy, shown(chat, "card:k", SECRET))
    await commit(store, Erase(Target("p1", turn="t")))
    left = [await store.outbox.row(key) for key in ("card:k", "copy:9")]
    assert [row.about for row in left if row is not None] == ["k", "k"], "an edit keeps it"
    assert SECRET not in str(left)


async def test_an_erased_message_is_another_version_and_owed_to_nobody(
    store: StorePorts, chat: Chat
) -> None:
    await said(store, chat, "one", 1)
    await commit(store, shown(chat, "said:one:1", "The secret.", "one"))
    for each in await store.outbox.owed(chat.id):
        await store.outbox.record(delivered(each))
    before = await store.outbox.row("said:one:1")
    await commit(store, Erase(Target("p1", turn="one")))
    after = await store.outbox.row("said:one:1")
    assert before is not None
    assert after is not None
    assert "secret" not in str(after.content)
    assert after.version > before.version
    assert after.shown_version == after.version
    assert await store.outbox.owed(chat.id) == []
