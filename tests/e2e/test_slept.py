"""A machine that slept for a day, or whose clock was set: what is due happens once."""

from datetime import UTC, datetime, timedelta

import pytest

from tests.e2e.browser import LINK, browser
from tests.e2e.steward import Steward
from tests.e2e.test_backup import note
from tests.e2e.test_page import door
from tests.e2e.times import Times
from tests.ports import free_port
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


async def test_a_browser_stays_signed_in_when_the_clock_jumps_and_codes_live_no_longer(
    steward: Steward,
) -> None:
    times = Times(steward)
    await steward.start(STEWARD_WEB_PORT=free_port())
    origin = await door(steward)

    async def code(nth: int) -> str:
        steward.say("/login")
        found = LINK.search((await steward.sees("Open this link", times=nth)).text)
        assert found is not None
        return found[2]

    async with browser(origin) as ann, browser(origin) as other:
        assert (await ann.enter(await code(1))).status_code == 303
        unused = await code(2)
        times.move(_DAY)
        assert (await ann.get("/chat/telegram:42")).status_code == 200
        assert (await other.enter(unused)).status_code != 303
        unused = await code(3)
        times.move(-_DAY - 3_600)
        assert (await ann.get("/chat/telegram:42")).status_code == 200
        steward.script(text("Still here."))
        await ann.say("Are you there?", "/chat/telegram:42")
        await steward.sees("Still here.")
        ((ends,),) = steward.records.rows("SELECT ends_at FROM session")
        farthest = datetime.now(UTC) + timedelta(days=30)
        assert datetime.fromisoformat(f"{ends}+00:00") <= farthest, "its end went back with it"
        assert (await other.enter(unused)).status_code != 303
        assert (await other.enter(await code(4))).status_code == 303
