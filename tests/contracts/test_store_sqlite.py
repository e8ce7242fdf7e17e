"""What only a file can suffer: a killed writer, a lock, a full disk, damage; and its indexes."""

import asyncio
import sqlite3
import sys
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine, event

from bot.adapters.sql.soundness import looked_through
from bot.adapters.sql.store import open_store
from bot.domain.change import (
    Append,
    Change,
    InboundState,
    MarkInbound,
    SaveApproval,
    SaveTurn,
)
from bot.domain.memory.passage import whose
from bot.domain.talk.chat import Chat
from bot.domain.talk.errors import (
    SettingError,
    StoreBusy,
    StoreDamaged,
    StoreError,
    StoreUnwritable,
)
from bot.domain.talk.message import Address, RawUpdate
from bot.domain.turn.transcript import AskerBody
from tests.contracts.store_ports import StorePorts
from tests.contracts.store_samples import (
    NOW,
    a_card,
    a_turn,
    an_entry,
    an_outbound,
    commit,
    lines,
    shown,
)
from tests.contracts.test_store_memory import CAR, DOG, found, remember

ADDRESS = Address("telegram", "42")


@pytest.fixture
def file(sqlite_url: str) -> Path:
    return Path(sqlite_url.removeprefix("sqlite:///"))


@pytest.fixture
def damaged(file: Path) -> Path:
    file.write_bytes(b"no database at all " * 1000)
    return file


@contextmanager
def heard(name: str, listener: Any) -> Iterator[None]:
    """Listens to every engine of this process."""
    event.listen(Engine, name, listener)
    try:
        yield
    finally:
        event.remove(Engine, name, listener)


async def killed_after(url: str, commits: int) -> int:
    """Kills a writing process once it told of this many commits; returns the last number told."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "tests.contracts.store_writer",
        url,
        stdout=asyncio.subprocess.PIPE,
        cwd=Path(__file__).parents[2],
    )
    assert process.stdout is not None
    told = [await process.stdout.readline() for _ in range(commits)]
    process.kill()
    told.extend((await process.stdout.read()).splitlines(keepends=True))
    await process.wait()
    return max(int(line) for line in told if line.endswith(b"\n"))


async def test_a_killed_process_leaves_whole_changes_only(sqlite_url: str):
    for commits in (1, 7, 20):
        told = await killed_after(sqlite_url, commits)
        async with open_store(sqlite_url) as store:
            chat = await store.chats.at(ADDRESS, private=True)
            (turn,) = (await store.journal.agenda(chat.id)).unfinished
            (row,) = await store.outbox.owed(chat.id)
            entries = await store.journal.entries(chat.conversation)
        assert turn.rounds >= told
        assert chat.last_seq == len(entries) == 2 * turn.rounds
        assert row.version == turn.rounds
        assert row.content == an_outbound(f"round {turn.rounds}")


async def test_a_locked_file_is_busy_and_then_free(sqlite_url: str, file: Path):
    async with open_store(sqlite_url, busy_seconds=0.05) as store:
        chat = await store.chats.at(ADDRESS, private=True)
        with closing(sqlite3.connect(file)) as other:
            other.execute("BEGIN IMMEDIATE")
            with pytest.raises(StoreBusy):
                await commit(store, lines(chat, 1))
            assert await store.journal.entries(chat.conversation) == []
            with pytest.raises(StoreBusy):
                async with open_store(sqlite_url, busy_seconds=0.05):
                    pass
        await commit(store, lines(chat, 1))
        assert len(await store.journal.entries(chat.conversation)) == 1


async def fill(store: StorePorts, chat: Chat) -> None:
    long = AskerBody("x" * 200_000, "Ann")
    for number in (1, 2, 3):
        await commit(store, Append(chat.id, (an_entry(chat, number, long),)), shown(chat))


async def test_a_full_disk_takes_nothing_and_recovers(sqlite_url: str, file: Path):
    writers: list[sqlite3.Connection] = []
    async with open_store(sqlite_url):
        pass
    with closing(sqlite3.connect(file)) as connection:
        (pages,) = connection.execute("PRAGMA page_count").fetchone()

    def bound(connection: sqlite3.Connection, _record: object) -> None:
        connection.execute(f"PRAGMA max_page_count = {pages + 70}")
        writers.append(connection)

    with heard("connect", bound):
        async with open_store(sqlite_url) as store:
            chat = await store.chats.at(ADDRESS, private=True)
            with pytest.raises(StoreUnwritable):
                await fill(store, chat)
            (row,) = await store.outbox.owed(chat.id)
            entries = await store.journal.entries(chat.conversation)
            assert len(entries) == row.version == (await store.chats.get(chat.id)).last_seq
            writers[0].execute(f"PRAGMA max_page_count = {pages + 140}")
            await commit(store, lines(chat, len(entries) + 1))


async def test_a_full_disk_is_found_by_a_trial_that_leaves_nothing(sqlite_url: str, file: Path):
    async with open_store(sqlite_url) as store:
        await store.check_writable()
        with closing(sqlite3.connect(file)) as connection:
            assert connection.execute("SELECT count(*) FROM pairing").fetchone() == (0,)

    def bound(connection: sqlite3.Connection, _record: object) -> None:
        connection.execute(f"PRAGMA max_page_count = {pages}")

    with closing(sqlite3.connect(file)) as connection:
        # Else the trial finds the room that the first one has left.
        connection.execute("VACUUM")
        (pages,) = connection.execute("PRAGMA page_count").fetchone()
    with heard("connect", bound):
        async with open_store(sqlite_url) as store:
            with pytest.raises(StoreUnwritable):
                await store.check_writable()


async def test_looking_for_damage_waits_for_no_writer(sqlite_url: str, file: Path):
    async with open_store(sqlite_url, busy_seconds=0.05) as store:
        await remember(store, DOG, CAR)
        with closing(sqlite3.connect(file)) as other:
            other.execute("BEGIN IMMEDIATE")
            assert await store.words.check() == (2, 2)
            assert looked_through(file, 60).faults == []


def test_a_look_for_damage_ends_with_its_time(file: Path):
    looked = looked_through(file, 0)
    assert (looked.faults, looked.unread) == ([], looked.tables)


async def test_a_file_that_cannot_be_written_is_told_at_the_opening(file: Path):
    with pytest.raises(StoreUnwritable):
        async with open_store(f"sqlite:///file:{file}?mode=ro&uri=true"):
            pass


async def test_a_damaged_file_is_told_at_the_opening(damaged: Path):
    with pytest.raises(StoreDamaged):
        async with open_store(f"sqlite:///{damaged}"):
            pass


async def test_a_folder_that_is_missing_is_told_at_the_opening(tmp_path: Path):
    with pytest.raises(StoreUnwritable):
        async with open_store(f"sqlite:///{tmp_path}/missing/store.db"):
            pass


@pytest.mark.parametrize("url", ["", "no url", "sqlite://", "sqlite:///:memory:", "mysql://h/d"])
async def test_an_address_that_is_no_store_is_a_wrong_setting(url: str):
    with pytest.raises(SettingError):
        async with open_store(url):
            pass


async def test_a_closed_store_can_be_opened_again(sqlite_url: str):
    for number in (1, 2, 3):
        async with open_store(sqlite_url) as store:
            chat = await store.chats.at(ADDRESS, private=True)
            await commit(store, lines(chat, number))


async def test_readers_do_not_wait_for_a_writer(sqlite_url: str, file: Path):
    async with open_store(sqlite_url, busy_seconds=60) as store:
        chat = await store.chats.at(ADDRESS, private=True)
        with closing(sqlite3.connect(file)) as other:
            other.execute("BEGIN IMMEDIATE")
            assert await store.chats.get(chat.id) == chat


async def test_durable_changes_reach_the_disk_and_others_the_log(sqlite_url: str):
    opened: list[sqlite3.Connection] = []

    def synchronous() -> int:
        return opened[0].execute("PRAGMA synchronous").fetchone()[0]

    with heard("connect", lambda connection, _record: opened.append(connection)):
        async with open_store(sqlite_url) as store:
            chat = await store.chats.at(ADDRESS, private=True)
            for durable, level in ((True, 2), (False, 1), (True, 2)):
                await store.journal.commit(Change((shown(chat),), durable=durable))
                assert synchronous() == level
            await store.journal.commit(Change((shown(chat),)))
            await store.inbox.accept("telegram", [], NOW)
            assert synchronous() == 2


async def test_what_is_asked_often_is_found_by_index(sqlite_url: str, file: Path):
    async with open_store(sqlite_url) as store:
        chat = await store.chats.at(ADDRESS, private=True)
        await store.inbox.accept("telegram", [RawUpdate("1", "{}")], NOW)
        waits = MarkInbound(1, InboundState.WAITING, (InboundState.NEW,), chat.id)
        await commit(store, SaveTurn(a_turn(chat)), SaveApproval(a_card(chat)), waits)
        with queries() as asked:
            await store.journal.agenda(1)
            await store.journal.chats_with_work()
            await store.journal.entries("conversation")
            await store.chats.listed(1, 9)
            await store.outbox.owed(1)
            await store.outbox.chats_owed()
            await store.outbox.key_of(1, "101")
            await store.approvals.open_in(1)
            await store.approvals.of_turn("turn-1")
            await store.approvals.by_token("token")
            await store.approvals.overdue(NOW, 10)
            await store.inbox.unrouted(10)
            await store.inbox.waiting(1)
            await store.inbox.message([1], "17")
            await store.members.nth_newest(1, 3, NOW)
            await store.rules.of(1, 1)
            await store.ledger.ran_since(1, NOW)
            await store.ledger.audit(1, 10)
    assert len(asked) == 26
    used = by_index(file, asked)
    assert any("USING INDEX ix_conversation_closed" in one for one in used)
    assert "SCAN approval USING INDEX ix_approval_decided" in used
    assert "SEARCH inbox USING INDEX ix_inbox_waiting (chat=?)" in used
    assert "SEARCH inbox USING INDEX ix_inbox_message (chat=? AND message_id=?)" in used


async def test_what_a_turn_asks_the_memory_is_found_by_index(sqlite_url: str, file: Path):
    async with open_store(sqlite_url) as store:
        chat = await store.chats.at(ADDRESS, private=True)
        await remember(store, DOG, CAR)
        with queries() as asked:
            await store.memory.owed(10)
            await store.memory.get(DOG.id)
            await store.notes.of(whose(chat, 1), 10)
            await store.meant.count_owed()
    assert len(asked) == 4
    used = by_index(file, asked)
    assert "SCAN passage USING INDEX ix_passage_unindexed" in used


@contextmanager
def queries() -> Iterator[list[tuple[str, Any]]]:
    """Notes the queries that are made inside, with their values."""
    asked: list[tuple[str, Any]] = []

    def note(_c: object, _cursor: object, statement: str, values: Any, *_more: object) -> None:
        if statement.startswith("SELECT"):
            asked.append((statement, values))

    with heard("before_cursor_execute", note):
        yield asked


def by_index(file: Path, asked: Sequence[tuple[str, Any]]) -> list[str]:
    """Returns how SQLite looks for the answers; every look must use an index."""
    used: list[str] = []
    with closing(sqlite3.connect(file)) as connection:
        for statement, values in asked:
            plan = connection.execute(f"EXPLAIN QUERY PLAN {statement}", values).fetchall()
            steps = [step for *_, step in plan]
            looked = [step for step in steps if step.startswith(("SCAN", "SEARCH"))]
            assert looked, statement
            for step in looked:
                assert " USING " in step, (statement, steps)
            used.extend(looked)
    return used


def spoil(file: Path, table: str) -> None:
    """Writes over the first page of a table and of each of its indexes."""
    with closing(sqlite3.connect(file)) as other:
        other.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        wanted = "SELECT rootpage FROM sqlite_master WHERE tbl_name = ?"
        pages = other.execute(wanted, (table,)).fetchall()
        (size,) = other.execute("PRAGMA page_size").fetchone()
    with file.open("r+b") as written:
        for (page,) in pages:
            written.seek((page - 1) * size)
            written.write(b"\xa5" * size)


async def test_text_no_database_can_hold_is_mended_not_refused(sqlite_url: str):
    async with open_store(sqlite_url) as store:
        chat = await store.chats.at(ADDRESS, private=True)
        turn = a_turn(chat, asker_name="A\0nn \ud83d", reply_to="\ud83d\ude00")
        entry = an_entry(chat, 1, AskerBody("lone \udc00 half, nul \0, \N{SNAKE}", "Ann"))
        await commit(store, Append(chat.id, (entry,)), SaveTurn(turn))
        (stored,) = (await store.journal.agenda(chat.id)).unfinished
        (line,) = await store.journal.entries(chat.conversation)
    assert (stored.asker_name, stored.reply_to) == ("A\ufffdnn \ufffd", "\N{GRINNING FACE}")
    assert line.body == AskerBody("lone \ufffd half, nul \0, \N{SNAKE}", "Ann")


@pytest.mark.parametrize("part", ["config", "data", "content"])
async def test_a_broken_index_of_words_is_made_anew_by_itself(part: str, sqlite_url: str) -> None:
    async with open_store(sqlite_url) as store:
        await store.chats.at(Address("telegram", "42"), private=True)
        await remember(store, DOG, CAR)
    with closing(sqlite3.connect(sqlite_url.removeprefix("sqlite:///"))) as connection, connection:
        connection.execute(f"DROP TABLE passage_words_{part}")
    async with open_store(sqlite_url) as store:
        assert await found(store, "dog") == []
        await store.words.take_in(await store.memory.owed(10))
        assert await found(store, "dog") == ["dog"]
        assert await store.words.check() == (2, 2)


@pytest.mark.parametrize("part", ["config", "data", "content", "idx", "docsize"])
async def test_an_index_of_words_whose_pages_cannot_be_read_is_made_anew_by_itself(
    part: str, sqlite_url: str, file: Path
) -> None:
    async with open_store(sqlite_url) as store:
        await store.chats.at(Address("telegram", "42"), private=True)
        await remember(store, DOG, CAR)
    spoil(file, f"passage_words_{part}")
    async with open_store(sqlite_url) as store:
        # Not every search reads every part.
        await found(store, "dog")
        await store.words.take_in(await store.memory.owed(10))
        with suppress(StoreError):
            await store.words.check()
        await store.words.start_anew()
        await store.words.take_in(await store.memory.owed(10))
        assert await found(store, "dog") == ["dog"]
        assert await store.words.check() == (2, 2)


@pytest.mark.parametrize(
    "of_before", ["UPDATE passage_stems SET stems = '1'", "DROP TABLE passage_stems"]
)
async def test_stems_of_another_version_serve_until_they_are_made_anew(
    of_before: str, sqlite_url: str
) -> None:
    async with open_store(sqlite_url) as store:
        await store.chats.at(Address("telegram", "42"), private=True)
        await remember(store, DOG, CAR)
    with closing(sqlite3.connect(sqlite_url.removeprefix("sqlite:///"))) as connection, connection:
        connection.execute(of_before)
    async with open_store(sqlite_url) as store:
        assert await found(store, "dog") == ["dog"]
        assert [one.id for one in await store.memory.owed(10)] == ["dog", "car"]
        await store.words.take_in(await store.memory.owed(1))
    async with open_store(sqlite_url) as store:
        await store.words.take_in(())
        assert [one.id for one in await store.memory.owed(10)] == ["car"]
        assert [await found(store, each) for each in ("dog", "car")] == [["dog"], ["car"]]
        await store.words.take_in(await store.memory.owed(10))
        assert await store.words.check() == (2, 2)


async def test_a_damaged_index_of_words_is_seen_by_a_check(sqlite_url: str) -> None:
    async with open_store(sqlite_url) as store:
        await remember(store, DOG, CAR)
        assert await store.words.check() == (2, 2)
    with closing(sqlite3.connect(sqlite_url.removeprefix("sqlite:///"))) as connection, connection:
        connection.execute("UPDATE passage_words_data SET block = x'00ff' WHERE id > 10")
    async with open_store(sqlite_url) as store:
        with pytest.raises(StoreError):
            await store.words.check()


async def test_damage_that_anybody_meets_is_known_to_the_part_that_ends_the_program(
    sqlite_url: str, file: Path
) -> None:
    async with open_store(sqlite_url) as store:
        spoil(file, "goal")
        with pytest.raises(StoreDamaged):
            await store.goals.get("any")
        assert "malformed" in str(await store.damage.met())
