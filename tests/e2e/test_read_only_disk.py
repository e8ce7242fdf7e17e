"""A disk that becomes read-only is told once and loses nothing; a start on one says what it is."""

import pytest

from tests.e2e.first_answer import answered_once
from tests.e2e.sealed import sealed
from tests.e2e.steward import Steward
from tests.e2e.test_full_disk import OVER
from tests.e2e.test_metrics import Operator
from tests.e2e.test_readiness import told
from tests.ports import free_port
from tests.standins.messages_api import text
from tests.words import LOOK_AT_DISK

pytestmark = pytest.mark.telegrams_own("the disk is below every platform")

TOLD = "I cannot write to my database"


async def test_a_disk_that_becomes_read_only_is_told_once_and_nothing_is_lost(
    steward: Steward,
) -> None:
    asked = Operator(port := free_port())
    steward.settings["STEWARD_METRICS_LISTEN"] = str(port)
    await answered_once(steward)
    await told(asked, "ready\n")
    steward.script(text("It can be written again."))
    with sealed(steward.home):
        steward.say("Are you there?")
        assert LOOK_AT_DISK in (await steward.sees(TOLD)).text
        await told(asked, "the database cannot be written\n")
        code, report = await steward.printed_by("doctor")
        assert code == 1
        assert "The running Steward is not ready: the database cannot be written." in report
        assert "The database cannot be read or written: attempt to write a readonly" in report
        assert steward.running
    await steward.sees("It can be written again.")
    await told(asked, "ready\n")
    await steward.recorded()
    await steward.sees(OVER)
    assert steward.showing(TOLD) == []
    assert len(steward.showing(OVER)) == len(steward.showing("It can be written again.")) == 1
    assert steward.records.stop_reasons == ["final_answer", "final_answer"]


async def test_a_start_on_a_read_only_disk_says_so_and_the_next_one_answers(
    steward: Steward,
) -> None:
    await answered_once(steward)
    await steward.kill()
    steward.say("Are you there?")
    steward.module = "tests.e2e.read_only_program"
    assert await steward.exit_code("run") == 75
    said = steward.output.splitlines()[-1]
    assert "cannot be written: Read-only file system. Look at the disk of" in said
    assert await steward.exit_code("doctor") == 1
    assert steward.output.count("Look at the disk of") == 3, "the start, the database, the home"
    steward.module = "bot"
    steward.script(text("It can be written again."))
    await steward.start()
    await steward.sees("It can be written again.")
    await steward.recorded()
