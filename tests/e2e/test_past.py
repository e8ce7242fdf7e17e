"""What was said before there was a memory comes back, from a database of that time."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.e2e.steward import Steward, words_in
from tests.standins.messages_api import text

pytestmark = pytest.mark.flows_own("the past is read from the store")

RECORDED = Path(__file__).parents[1] / "migrations" / "first_release.sql"
"""A database of the first release."""

_EMPTIED = (
    "passage",
    "note",
    "past",
    "approval",
    "plan_step",
    "plan",
    "outbox",
    "inbox",
    "verdict",
    "task",
)
"""What the talk needs no more; a task of that day could come due while the test runs."""

ASKED = {"text": "My dog is called Rex", "speaker": "Ann", "moment": "", "kind": "asker"}
ANSWERED = {
    "parts": [{"text": "Rex is a fine dog.", "raw": None, "kind": "text"}],
    "finish": "end",
    "kind": "reply",
}


def talked(steward: Steward, provider: str) -> None:
    """Makes a database without a memory, in which Ann's one turn ended with an answer."""
    path = steward.records.path
    path.unlink(missing_ok=True)
    with closing(sqlite3.connect(path)) as connection, connection:
        account = steward.settings["STEWARD_OWNERS"]
        told = RECORDED.read_text().replace("telegram:42", account)
        connection.executescript(told)
        for table in _EMPTIED:
            connection.execute(f"DELETE FROM {table}")
        connection.execute(
            "UPDATE turn SET state='settled', stop_reason='final_answer', skill=NULL"
        )
        connection.execute("UPDATE chat SET skill=NULL")
        (stored,) = connection.execute("SELECT body FROM entry WHERE seq=2").fetchone()
        reply = json.loads(stored) | ANSWERED
        reply["provenance"]["provider"] = provider
        connection.execute("DELETE FROM entry WHERE seq > 2")
        rows = ((json.dumps(ASKED), 1), (json.dumps(reply), 2))
        connection.executemany("UPDATE entry SET body=? WHERE seq=?", rows)


async def asked_anew(steward: Steward) -> str:
    """Asks in a new conversation, over a death; returns what the model was asked."""
    await steward.start()
    await steward.eventually(lambda: steward.records.rows("SELECT 1 FROM past WHERE ended"))
    await steward.restart()
    steward.say("/new")
    await steward.sees("fresh start")
    steward.script(text("Well."))
    steward.say("What is the name of my dog?")
    await steward.sees("Well.")
    return words_in(steward.model.requests[0])


async def test_talk_from_before_the_memory_is_recalled_and_read_once(steward: Steward) -> None:
    talked(steward, "anthropic")
    assert "Rex is a fine dog." in await asked_anew(steward)
    kept = steward.records.rows("SELECT question, answer, indexed FROM passage")
    assert kept.count(("My dog is called Rex", "Rex is a fine dog.", 1)) == 1


async def test_what_the_demo_model_said_before_is_not_remembered(steward: Steward) -> None:
    talked(steward, "demo")
    assert "Rex" not in await asked_anew(steward)
