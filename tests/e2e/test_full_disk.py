"""A disk that is full while people write: owners are told once, and nothing is lost."""

import resource

import pytest

from tests.e2e.first_answer import answered_once
from tests.e2e.steward import Steward
from tests.standins.messages_api import text
from tests.words import LOOK_AT_DISK

pytestmark = pytest.mark.flows_own("the disk is below every platform")

TOLD = "I cannot write to my database"
OVER = "I could not write to my database for a while. Now I can again."


async def test_a_full_disk_is_told_once_and_what_was_said_meanwhile_is_answered(
    steward: Steward,
) -> None:
    process = await answered_once(steward)
    before = process.rlimit(resource.RLIMIT_FSIZE)
    # No file takes a byte more, as on a disk that somebody else has filled.
    process.rlimit(resource.RLIMIT_FSIZE, (0, before[1]))
    steward.script(text("There is room again."))
    steward.say("Are you there?")
    told = await steward.sees(TOLD)
    assert LOOK_AT_DISK in told.text
    assert steward.running
    process.rlimit(resource.RLIMIT_FSIZE, before)
    await steward.sees("There is room again.")
    await steward.recorded()
    await steward.sees(OVER)
    assert steward.showing(TOLD) == []
    assert len(steward.showing(OVER)) == len(steward.showing("There is room again.")) == 1
    assert steward.records.stop_reasons == ["final_answer", "final_answer"]
