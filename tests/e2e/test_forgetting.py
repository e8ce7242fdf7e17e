"""One word goes through everything, and after `/forget` no column of any table holds it."""

import sqlite3
from collections.abc import AsyncIterator
from contextlib import closing

import pytest

from tests.e2e.planning import submit, write
from tests.e2e.steward import Steward
from tests.standins.embeddings import Embeddings, settings_for
from tests.standins.messages_api import Gate, calls, text, thinking, tool
from tests.standins.serving import serving
from tests.standins.transcriptions import Transcriptions
from tests.words import APPROVE, CANCEL

_FLOWS_OWN = pytest.mark.flows_own("erasing is a transaction of the store")

pytest.importorskip("chromadb")

CANARY = "xyzzyplugh"
EARS = "hear-e2e-a-key-nobody-may-ever-see"
SLOW = """CREATE TRIGGER slow BEFORE UPDATE OF body ON entry BEGIN
SELECT count(*) FROM (
    WITH RECURSIVE each(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM each LIMIT 2000000000)
    SELECT n FROM each
); END"""
"""Holds whoever rewrites an entry in the middle of the transaction, for minutes."""


@pytest.fixture
async def services(steward: Steward) -> AsyncIterator[None]:
    """Ears that hear the word, and an embedder, so that there is an index of meaning."""
    ears, embedder = Transcriptions(words=f"buy {CANARY}", api_key=EARS), Embeddings()
    async with serving(ears.app) as heard, serving(embedder.app) as embedded:
        steward.settings |= {
            "STEWARD_HEAR_URL": f"{heard}/v1",
            "STEWARD_HEAR_KEY": EARS,
            **settings_for(embedded),
        }
        yield


async def everywhere(steward: Steward) -> None:
    """Brings the word into everything that can hold one, over two conversations."""
    (steward.workspace / "long.txt").write_text(f"line of a file\n{CANARY}\n" * 4_000)
    (steward.workspace / "code.txt").write_text(f"once it was {CANARY}")
    await steward.start()
    await _noted_and_written(steward)
    await _heard_and_sent(steward)
    await _stopped(steward)
    await _ended(steward)
    await _recalled(steward)
    await _planned(steward)
    steward.say(f"/memory {CANARY}")
    await steward.sees("A number shows one of them")
    await steward.eventually(lambda: _indexed(steward))
    await steward.recorded()


async def _noted_and_written(steward: Steward) -> None:
    steward.script(
        thinking(f"{CANARY}.")
        + calls(
            tool("remember", {"note": f"The code is {CANARY}."}),
            tool("read_file", {"path": "long.txt"}),
            tool("write_file", {"path": "code.txt", "content": CANARY}),
        ),
        thinking("So.") + text(f"The code {CANARY} is written."),
    )
    steward.say(f"The code is {CANARY}, keep it")
    steward.press(await steward.card(), APPROVE)
    await steward.sees(f"The code {CANARY} is written.")


async def _heard_and_sent(steward: Steward) -> None:
    steward.script(text("I will buy it."), text("Read."))
    steward.speak()
    await steward.sees("I will buy it.")
    long = f"a line of a document\n{CANARY}\n".encode() * 4_000
    steward.attach(long, "a.txt", f"{CANARY}?")
    await steward.sees("Read.")


async def _stopped(steward: Steward) -> None:
    stuck = Gate()
    steward.script(text("never").held(stuck))
    steward.say(f"Wait for {CANARY}")
    await stuck.arrived()
    steward.say("/stop")
    await steward.sees("Stopped")


async def _ended(steward: Steward) -> None:
    end = calls(tool("end_conversation", {"reason": f"{CANARY} is kept"}))
    steward.script(end, text("Farewell."), text(f"- the code is {CANARY}"))
    steward.say("Goodbye")
    await steward.sees("Farewell.")


async def _recalled(steward: Steward) -> None:
    steward.script(
        calls(tool("recall", {"query": CANARY}), tool("get_conversation")), text("I knew it.")
    )
    steward.say(f"What about the code {CANARY}?")
    await steward.sees("I knew it.")


async def _planned(steward: Steward) -> None:
    steward.script(write(f"{CANARY}.txt"), submit(f"A file {CANARY}"))
    steward.say(f"/plan write {CANARY}")
    steward.press(await steward.card(), CANCEL)
    await steward.sees("Cancelled, nothing was done")


def _indexed(steward: Steward) -> bool:
    done = "count(*) FILTER (WHERE indexed), count(*) FILTER (WHERE meant)"
    rows = steward.records.rows(f"SELECT count(*), {done} FROM passage")
    return rows[0][0] > 0 and len(set(rows[0])) == 1


async def emptied(steward: Steward) -> None:
    """Waits for the end of forgetting, and looks everywhere."""
    await steward.sees("Erased.")
    await steward.recorded()
    assert steward.records.holding(CANARY) == set()
    await steward.eventually(lambda: not steward.records.rows("SELECT 1 FROM leaving"))
    assert not steward.records.rows("SELECT 1 FROM passage")
    await steward.stop()
    files = [path for path in steward.home.rglob("*") if path.is_file()]
    assert steward.records.path in files
    assert [
        path.name
        for path in files
        if steward.workspace not in path.parents and CANARY.encode() in path.read_bytes()
    ] == []


HELD = {
    "approval.call",
    "approval.preview",
    "artifact.text",
    "audit.details",
    "conversation.summary",
    "conversation.title",
    "entry.body",
    "hearing.words",
    "inbox.body",
    "note.text",
    "outbox.content",
    "passage.answer",
    "passage.question",
    "plan.title",
    "plan_step.arguments",
}
"""Columns that hold the word before; a new table is looked through without being named."""


async def test_no_column_and_no_file_holds_a_word_after_everything_is_forgotten(
    steward: Steward, services: None
) -> None:
    await everywhere(steward)
    assert steward.records.holding(CANARY) >= HELD
    kept = steward.records.rows("SELECT 1 FROM inbox WHERE chat IS NULL AND length(body) > 0")
    assert kept == [], "a press that is done is kept with the message of its button"
    steward.say("/forget all")
    steward.press(await steward.sees("I cannot bring it back"), "🗑 Erase")
    await emptied(steward)


async def test_no_column_holds_a_word_after_the_one_answer_with_it_is_forgotten(
    steward: Steward, services: None
) -> None:
    (steward.workspace / "long.txt").write_text(f"line of a file\n{CANARY}\n" * 4_000)
    (steward.workspace / "code.txt").write_text(f"once it was {CANARY}")
    await steward.start()
    steward.script(
        calls(
            tool("read_file", {"path": "long.txt"}),
            tool("write_file", {"path": "code.txt", "content": CANARY}),
        ),
        thinking("So.") + text(f"The secret code {CANARY} is written."),
    )
    long = f"a line of a document\n{CANARY}\n".encode() * 4_000
    steward.attach(long, "a.txt", f"Code {CANARY}, keep it")
    steward.press(await steward.card(), APPROVE)
    await steward.sees(f"The secret code {CANARY} is written.")
    end = calls(tool("end_conversation", {"reason": "the end"}))
    steward.script(end, text("Farewell."), text(f"- the code is {CANARY}"))
    steward.say("Goodbye")
    await steward.sees("Farewell.")
    look = (tool("recall", {"query": "secret code"}), tool("get_conversation"))
    steward.script(calls(*look), text("I knew it."))
    steward.say("What about the secret code?")
    await steward.sees("I knew it.")
    assert CANARY in str(steward.model.requests[-1].body["messages"][-1])
    steward.say("/memory secret code")
    await steward.sees("A number shows one of them")
    await steward.eventually(lambda: _indexed(steward))
    await steward.recorded()
    held = steward.records.holding(CANARY)
    named = {"artifact.text", "conversation.summary", "conversation.title"}
    assert {*named, "file_change.content"} <= held
    (id,) = steward.records.rows("SELECT id FROM passage WHERE question LIKE '%keep it%'")[0]
    steward.say(f"/forget {id}")
    steward.press(await steward.sees("I cannot bring it back"), "🗑 Erase")
    await steward.sees("Erased.")
    await steward.recorded()
    assert steward.records.holding(CANARY) == set()
    assert len(steward.records.rows("SELECT 1 FROM passage")) == 2, "others are remembered"


@_FLOWS_OWN
async def test_a_death_in_the_middle_of_erasing_leaves_all_and_then_nothing(
    steward: Steward, services: None
) -> None:
    await everywhere(steward)
    before = steward.records.holding(CANARY)
    steward.say("/forget all")
    question = await steward.sees("I cannot bring it back")
    await steward.recorded()
    with closing(sqlite3.connect(steward.records.path)) as connection, connection:
        connection.execute(SLOW)
    steward.press(question, "🗑 Erase")
    await steward.eventually(lambda: steward.records.written_to)
    await steward.kill()
    assert steward.records.holding(CANARY) == before
    with closing(sqlite3.connect(steward.records.path)) as connection, connection:
        connection.execute("DROP TRIGGER slow")
    await steward.start()
    await emptied(steward)
