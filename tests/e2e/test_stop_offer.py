"""[⏹ Stop] under a long turn, in the running program and across SIGKILL."""

from tests.e2e.steward import Steward
from tests.standins.messages_api import Gate, text
from tests.words import STILL_AT_IT, STOP


async def test_a_long_turn_is_stopped_by_its_button_after_a_kill(steward: Steward) -> None:
    lost, stuck = Gate(), Gate()
    steward.script(text("Lost.").held(lost), text("Never.").held(stuck))
    await steward.start()
    steward.say("Work for long")
    await lost.arrived()
    told = await steward.sees(STILL_AT_IT)
    await steward.recorded()
    await steward.restart()
    await stuck.arrived()
    assert await steward.answered(steward.press(told, STOP)) == ""
    await steward.sees("Stopped")
    await steward.until(lambda: not steward.showing(STILL_AT_IT))
    assert steward.records.stop_reasons == ["user_cancelled"]
    assert len(steward.showing("Stopped")) == 1


async def test_a_kill_before_the_end_leaves_no_button_behind(steward: Steward) -> None:
    lost = Gate()
    steward.script(text("Lost.").held(lost), text("Done."))
    await steward.start()
    steward.say("Work for long")
    await lost.arrived()
    await steward.sees(STILL_AT_IT)
    await steward.recorded()
    await steward.restart()
    await steward.sees("Done.")
    await steward.until(lambda: not steward.showing(STILL_AT_IT))
