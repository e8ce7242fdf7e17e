"""What one turn of the program enters, and what it asks of its database.

Counts and no times, so a slow machine changes little: a reply may come in more pieces then, and
each of them goes through the files of a running turn once more. At night a start also removes what
is old beside the first turns. So the first turn of a dozen that keeps to all bounds counts.
"""

import json
import signal
from dataclasses import dataclass
from functools import cached_property

import pytest

from tests.e2e.steward import Steward
from tests.e2e.traced_program import COUNTED
from tests.standins.messages_api import Reply, text

pytestmark = pytest.mark.telegrams_own("it counts what is entered, wherever the message came from")

_MOST_TURNS = 12
MOST_FILES = 60
MOST_CHANGES = 350
MOST_JOBS = 14
MOST_STATEMENTS = 34
UNUSED = {"approvals", "errands", "goals", "hooks", "plans", "schedules", "skills", "verbose"}


@dataclass(frozen=True)
class Traced:
    """The counts: files of the flow in the order in which they were entered, statements, jobs."""

    files: tuple[str, ...]
    statements: tuple[str, ...]
    jobs: int

    @property
    def changes(self) -> int:
        return len(self.files) - 1

    @property
    def more_than_allowed(self) -> bool:
        return (
            len(set(self.files)) > MOST_FILES
            or self.changes > MOST_CHANGES
            or self.jobs > MOST_JOBS
            or len(self.statements) > MOST_STATEMENTS
        )

    @cached_property
    def rooms(self) -> set[str]:
        return {file.partition("/")[0] for file in self.files}


async def traced(steward: Steward, message: str, *script: Reply) -> Traced:
    """What a message enters in a chat that was used before, on a machine that is not too busy."""
    steward.module = "tests.e2e.traced_program"
    steward.script(text("Hello."))
    await steward.start()
    steward.say("Hello")
    await steward.sees("Hello.")
    turns: list[Traced] = []
    while not turns or (turns[-1].more_than_allowed and len(turns) < _MOST_TURNS):
        turns.append(await _traced_once(steward, f"Done {len(turns)}.", message, script))
    return min(turns, key=lambda turn: (turn.more_than_allowed, turn.changes, turn.jobs))


async def _traced_once(
    steward: Steward, answer: str, message: str, script: tuple[Reply, ...]
) -> Traced:
    steward.script(*script, text(answer))
    await steward.recorded()
    steward.tell(signal.SIGUSR1)
    steward.say(message)
    await steward.sees(answer)
    await steward.recorded()
    steward.tell(signal.SIGUSR2)
    file = steward.home / COUNTED
    await steward.eventually(file.exists)
    found = json.loads(file.read_text())
    file.unlink()
    return Traced(tuple(found["files"]), tuple(found["statements"]), found["jobs"])


async def test_a_plain_message_enters_no_room_of_a_feature_that_its_chat_does_not_use(
    steward: Steward,
) -> None:
    found = await traced(steward, "What is there?")
    assert {"log", "queue", "turn", "delivery"} <= found.rooms, "the tracer saw nothing"
    assert not found.rooms & UNUSED
    assert len(set(found.files)) <= MOST_FILES, sorted(set(found.files))
    assert found.changes <= MOST_CHANGES, found.files


async def test_a_plain_message_goes_to_the_database_a_few_times(steward: Steward) -> None:
    found = await traced(steward, "What is there?")
    assert 5 < found.jobs <= MOST_JOBS
    assert 10 < len(found.statements) <= MOST_STATEMENTS, found.statements


async def test_a_message_for_a_plan_enters_the_room_of_plans(steward: Steward) -> None:
    found = await traced(steward, "/plan Tidy up")
    assert "plans" in found.rooms
