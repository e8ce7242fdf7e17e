"""A machine that slept for a day, or whose clock was set: what is due happens once."""

import pytest

from tests.e2e.steward import Steward
from tests.e2e.test_backup import note
from tests.e2e.times import Times
from tests.standins.messages_api import text
from tests.words import APPROVE

pytestmark = pytest.mark.flows_own("the clock is the machine's")

_DAY = 86_400


async def test_after_a_day_asleep_a_card_is_over_a_task_runs_once_and_people_are_answered(
    steward: Steward,
) -> None:
    times = Times(steward)
    steward.script(note("milk"))
    await steward.start()
    steward.say("Note milk.")
    card = await steward.card()
    steward.say("/schedule every 12h | Water the plants")
    await steward.sees("⏰ Scheduled.")
    await steward.recorded()
    steward.script(text("Watered."))
    times.move(_DAY + 3_600)
    await steward.sees("Not decided in time")
    await steward.sees("Watered.")
    steward.press(card, APPROVE)
    await steward.recorded()
    assert not (steward.workspace / "milk.md").exists()
    assert len(steward.records.rows("SELECT 1 FROM run WHERE state = 'done'")) == 1
    steward.script(text("Good morning."))
    steward.say("Hello")
    await steward.sees("Good morning.")
    # The clock is put right again: it is the day before.
    times.move(-_DAY)
    steward.script(note("bread"), text("Written."))
    steward.say("Note bread.")
    steward.press(await steward.card(about="bread"), APPROVE)
    await steward.sees("Written.")
    await steward.recorded()
    assert (steward.workspace / "bread.md").read_text() == "bread"
    assert len(steward.showing("Watered.")) == 1
