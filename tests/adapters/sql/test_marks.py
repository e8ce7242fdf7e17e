"""Every column says what it names and how its words go, and erasing, joining and moving obey."""

import re
from collections.abc import Iterator, Sequence
from contextlib import AbstractAsyncContextManager
from datetime import UTC, date, datetime
from typing import Any

import pytest
from sqlalchemy import (
    Column,
    Engine,
    LargeBinary,
    MetaData,
    NullPool,
    Table,
    create_engine,
    func,
    select,
)

from bot.adapters.sql import codec
from bot.adapters.sql.columns import Bytes, ChatAddress, Choice, Json, Number, UtcTime, Words
from bot.adapters.sql.store import Store, open_store
from bot.adapters.sql.tables import METADATA
from bot.adapters.sql.tables.marks import Forget, Names, mark_on, naming
from bot.domain.assignments.errand import ErrandResult
from bot.domain.assignments.task import TaskLimits
from bot.domain.change import Change, Erase, JoinChats, JoinPeople, Write
from bot.domain.change.erasing import Target
from bot.domain.clock.when import Once
from bot.domain.clock.zones import Zones
from bot.domain.memory.imported import IMPORTED
from bot.domain.talk.message import Address, InboundMessage, Outbound, OutboundKind, Piece, Plain
from bot.domain.talk.person import Sender
from bot.domain.tools.tool import CommandRule, Effect, Preview, Status, ToolCall
from bot.domain.turn.transcript import AskerBody
from bot.flow.commanding.table import Invocation
from bot.flow.memory.exporting import ExportCommands
from tests.fakes.packing import FakePacking

NOW = datetime(2026, 11, 24, 12, tzinfo=UTC)
ENDED = ("settled", "done", "denied", "shown")
FIRST, SECOND = "annswords", "bobswords"
HOMES = 10
"""Added to a chat's number: the chat in which an errand of it works."""
GOING = ("chat", "conversation", "leaving", "sight")
"""Tables whose rows become fewer, or more, when two chats become one."""
SAID = {1: FIRST, 2: SECOND}
TELLING = (Words, Bytes, LargeBinary, Json, Number, ChatAddress)
"""The types of columns that can name somebody or hold words."""


def open_columns(metadata: MetaData) -> Iterator[Column[Any]]:
    """Yields the columns that can name somebody or hold words."""
    for table in metadata.sorted_tables:
        yield from (column for column in table.c if isinstance(column.type, TELLING))


def unmarked(metadata: MetaData) -> list[str]:
    return [str(one) for one in open_columns(metadata) if mark_on(one) is None]


def unreached(metadata: MetaData) -> list[str]:
    """Returns the tables whose words would go with a row or a turn that no column names."""
    lost: list[str] = []
    for table in metadata.sorted_tables:
        marks = [mark for column in table.c if (mark := mark_on(column)) is not None]
        told = {mark.forget for mark in marks if mark.names is None}
        named = {mark.forget for mark in marks if mark.names is not None}
        by_turn = Forget.MARK in named or not told & {Forget.MARK, Forget.EMPTY}
        by_row = named & {Forget.ROW, Forget.BY_HAND} or Forget.ROW not in told
        if not (by_turn and by_row):
            lost.append(table.name)
    return lost


def test_every_column_that_can_name_somebody_or_hold_words_has_a_mark():
    assert len(list(open_columns(METADATA))) > 200
    assert unmarked(METADATA) == []
    assert unreached(METADATA) == []


def test_a_column_named_after_a_thing_names_it():
    named = {
        "asker": Names.PERSON,
        "chat": Names.CHAT,
        "about": Names.TURN,
        "conversation": Names.CONVERSATION,
        "message": Names.MESSAGE,
        "message_id": Names.MESSAGE,
        "person": Names.PERSON,
        "turn": Names.TURN,
        "whose": Names.OWNER,
    }
    other = {
        str(column)
        for column in open_columns(METADATA)
        if column.name in named and (mark := mark_on(column)) and mark.names != named[column.name]
    }
    # The record and the accounts keep their person, a chat and the memory of the past are told
    # where they go on, and a vector leaves the owner that it had.
    apart = {"audit.person", "account.person", "chat.conversation", "past.conversation"}
    # A plan has words of its own, a person words about themselves, and a message of ours is shown.
    words = {"plan.message", "person.about", "sight.message_id"}
    assert other == {*apart, *words, "leaving.whose"}


def test_a_new_table_without_marks_is_found():
    grown = MetaData()
    Table("secret", grown, Column("id", Number, primary_key=True), Column("text", Words))
    assert unmarked(grown) == ["secret.id", "secret.text"]


def spoken(*but: Forget) -> list[Column[Any]]:
    """Returns the columns with words that are forgotten or handed out."""
    return [
        column
        for column in open_columns(METADATA)
        if (mark := mark_on(column)) and mark.names is None and mark.forget not in but
        if mark.told or mark.forget is not Forget.STAYS
    ]


def in_json(kind: codec.Codec[Any], words: str, of: int) -> Any:
    """Returns a value of this kind that says these words, where it can say any."""
    samples: dict[int, Any] = {
        id(codec.BODY): AskerBody(words, "Ann", "09:30"),
        id(codec.CALL): ToolCall("call", "tool", words, {"text": words}),
        id(codec.PREVIEW): Preview(words, words, Effect.WRITE),
        id(codec.OUTBOUND): Outbound(OutboundKind.ANSWER, (Plain(words),)),
        id(codec.PIECES): (Piece({"text": words}),),
        id(codec.ERRAND_RESULT): ErrandResult(Status.SUCCESS, words),
        id(codec.DETAILS): {"turn": f"turn-{of}", "arguments": words},
        id(codec.PATTERN): CommandRule(("ls",)),
        id(codec.RULE): Once(NOW),
        id(codec.TASK_LIMITS): TaskLimits(),
    }
    return samples.get(id(kind), ())


def value(column: Column[Any], of: int) -> Any:
    """Returns what a row of this person has in a column."""
    mark, name = mark_on(column), column.name
    if column.name == "address":
        return Address("telegram", str(of))
    if column in (METADATA.tables["account"].c.key, METADATA.tables["chat"].c.conversation):
        return f"talk-{of}" if name == "conversation" else f"telegram:{of}"
    if mark is not None and mark.names is not None:
        named = {Names.TURN: f"turn-{of}", Names.CONVERSATION: f"talk-{of}", Names.OWNER: f"p{of}"}
        named[Names.MESSAGE] = f"message-{of}"
        # A turn that follows none, a conversation that is no branch, a chat without a screen.
        empty = column.nullable and (mark.forget, name) in {
            (Forget.STAYS, one) for one in ("follows", "parent", "screen")
        }
        return None if empty else named.get(mark.names, of)
    words = f"{SAID[of]} {column.table.name}.{column.name}"
    return told(column, words, of) if any(column is one for one in spoken()) else plain(column, of)


def told(column: Column[Any], words: str, of: int) -> Any:
    if isinstance(column.type, Json):
        return in_json(column.type.codec, words, of)
    return words if isinstance(column.type, Words | Bytes) else words.encode()


def plain(column: Column[Any], of: int) -> Any:
    """Returns something for a column that names nobody and says nothing."""
    match column.type:
        case _ if column.name == "home":
            return of + HOMES
        case _ if column.server_default is not None or (column.nullable):
            return None if column.nullable else ...
        case Choice() as kind:
            words = [str(one) for one in kind.choices]
            return kind.choices(next((word for word in ENDED if word in words), words[of - 1]))
        case Json() as kind:
            return in_json(kind.codec, "", of)
        case UtcTime():
            return NOW
        case Words() | Bytes():
            return named(column, of)
        case _ if column.type.python_type in (bool, date):
            return column.name == "private" if column.type.python_type is bool else NOW.date()
        case _:
            return of


def named(column: Column[Any], of: int) -> str:
    """Returns an id: rows that refer to each other have the same."""
    table = column.table.name
    if column.foreign_keys:
        return f"{next(iter(column.foreign_keys)).column.table.name}-{of}"
    if (table, column.name) == ("audit", "action"):
        return "call.ran"
    return f"talk-{of}" if (table, column.name) == ("conversation", "id") else f"{table}-{of}"


def fill(engine: Engine, of: int) -> None:
    """Puts a row of this person into every table."""
    with engine.begin() as connection:
        for table in METADATA.sorted_tables:
            row = {column.name: value(column, of) for column in table.c}
            given = {name: one for name, one in row.items() if one is not ...}
            connection.execute(table.insert().values(given))
            if table is METADATA.tables["chat"]:
                home = {"id": of + HOMES, "address": Address("home", str(of)), "screen": of}
                connection.execute(table.insert().values(given | home))
            if table is METADATA.tables["passage"]:
                brought = {"number": of + HOMES, "id": f"{IMPORTED}{of}", "chat": None}
                connection.execute(table.insert().values(given | brought))


Row = tuple[str, tuple[object, ...]]


def rows(engine: Engine) -> set[Row]:
    with engine.connect() as connection:
        return {
            (table.name, tuple(row))
            for table in METADATA.sorted_tables
            for row in connection.exec_driver_sql(f'SELECT * FROM "{table.name}"')
        }


def saying(engine: Engine, words: str) -> set[str]:
    """Returns the columns that say these words, of all that the tables have."""
    with engine.connect() as connection:
        return {
            f"{table.name}.{column}"
            for table in METADATA.sorted_tables
            for row in connection.exec_driver_sql(f'SELECT * FROM "{table.name}"').mappings()
            for column, one in row.items()
            if words in (one.decode() if isinstance(one, bytes) else str(one))
        }


def ids(engine: Engine, names: Names) -> set[object]:
    """Returns everything that the columns name which name such a thing."""
    with engine.connect() as connection:
        return {
            one
            for column, _ in naming(METADATA, names)
            for one in connection.execute(select(column)).scalars()
        }


def counts(engine: Engine, but: Sequence[str] = ()) -> dict[str, int]:
    with engine.connect() as connection:
        return {
            table.name: connection.execute(select(func.count()).select_from(table)).scalar_one()
            for table in METADATA.sorted_tables
            if table.name not in but
        }


@pytest.fixture(params=["sqlite_url", pytest.param("postgres_emptied", marks=pytest.mark.postgres)])
def engine(request: pytest.FixtureRequest) -> Engine:
    """An empty database."""
    return create_engine(request.getfixturevalue(request.param), poolclass=NullPool)


def opened(engine: Engine) -> AbstractAsyncContextManager[Store]:
    return open_store(engine.url.render_as_string(hide_password=False))


async def commit(engine: Engine, *writes: Write) -> None:
    async with opened(engine) as store:
        await store.journal.commit(Change(writes))


async def test_no_column_holds_a_word_of_one_person_and_the_other_one_keeps_every_row(
    engine: Engine,
):
    fill(engine, 2)
    before = rows(engine)
    fill(engine, 1)
    assert saying(engine, FIRST) == {str(one) for one in spoken()}
    await commit(engine, Erase(Target("p1")))
    staying = {str(one) for one in spoken()} - {str(one) for one in spoken(Forget.STAYS)}
    assert saying(engine, FIRST) == staying == {"person.about"}
    assert before <= rows(engine)


async def test_everything_of_a_person_belongs_to_the_one_they_are_joined_with(engine: Engine):
    fill(engine, 2)
    before = rows(engine)
    fill(engine, 1)
    rows_of_both = counts(engine, ["leaving"])
    await commit(engine, JoinPeople(1, 2))
    assert 1 not in ids(engine, Names.PERSON)
    assert "p1" not in ids(engine, Names.OWNER)
    assert counts(engine, ["leaving"]) == rows_of_both
    assert before <= rows(engine)


async def test_everything_of_a_chat_belongs_to_the_one_it_is_joined_with(engine: Engine):
    fill(engine, 1)
    fill(engine, 2)
    rows_of_both = counts(engine, GOING)
    await commit(engine, JoinChats(Address("telegram", "1"), Address("telegram", "2")))
    assert 2 not in ids(engine, Names.CHAT)
    assert "talk-2" not in ids(engine, Names.CONVERSATION)
    # Two notes about one chat are one.
    assert counts(engine, GOING) == {**rows_of_both, "sending": 1}


async def test_the_words_that_are_marked_for_it_are_handed_out_and_no_others(engine: Engine):
    fill(engine, 1)
    fill(engine, 2)
    packing, here = FakePacking(), Address("telegram", "1")
    message = InboundMessage(here, Sender("telegram", "1", "Ann"), "m", "/export", NOW)
    async with opened(engine) as store:
        ports = (store.belongings, store.notes, store.goals, store.feedback, store.journal)
        chat, person = await store.chats.at(here, private=True), await store.people.get(1)
        assert person is not None
        exporting = ExportCommands(*ports, packing, Zones())
        await exporting.export(Invocation(chat, person, (), message, 7))
    said = "".join(page.lines for page in packing.packed["export:7"])
    wanted = {str(one) for one in spoken() if (mark := mark_on(one)) and mark.told}
    assert set(re.findall(rf"{FIRST} (\w+\.\w+)", said)) == wanted
    assert SECOND not in said
