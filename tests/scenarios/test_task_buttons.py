"""The buttons of a task: times, words, what overlapping runs do, and calls without a card."""

from bot.domain.assignments.task import ApprovedCall, Overlap
from bot.domain.tools.tool import Surroundings
from bot.flow.schedules.changing import THEIRS
from tests.fakes.model import call, calls, says
from tests.scenarios.stage import BOB, stage
from tests.scenarios.test_note_changes import shown
from tests.scenarios.test_schedules import APPROVE, BOTH, HOUR, scheduled, task_in
from tests.scenarios.tools import writing


async def test_buttons_change_times_words_and_what_overlapping_runs_do() -> None:
    async with stage(people=BOTH) as scene:
        task = await scheduled(scene)
        await scene.press("✏️ Edit")
        assert await scene.press("🕘 Times…", BOB) == THEIRS
        await scene.press("⏳ Begin it afterwards")
        assert task_in(scene).overlap is Overlap.QUEUE
        assert any(
            "✓ ⏳ Begin it afterwards" in str(row) for row in scene.store.rows.outbox.values()
        )
        await scene.press("🕘 Times…")
        question = await shown(scene, "When should it run?")
        await scene.say("when pigs fly", reply_to=question)
        again = await shown(scene, "Nothing was changed.")
        assert task_in(scene).said == task.said
        await scene.say("every day 18:00", reply_to=again)
        await scene.until(lambda: task_in(scene).said == "every day 18:00" or None)
        await scene.press("✏️ Edit")
        await scene.press("💬 Words…")
        asked = await shown(scene, "What should each run do?")
        await scene.say("Feed the cat", reply_to=asked)
        await scene.until(lambda: task_in(scene).what == "Feed the cat" or None)
        assert "Now it says: “every 2h”" in question.text


async def test_a_call_that_a_run_asked_for_can_be_allowed_and_taken_back_by_buttons() -> None:
    wants = calls(call("w", "write", {"what": "`a`"}))
    script = [wants, says("Written."), wants, says("Again."), wants]
    async with stage(*script, tools=[writing()]) as scene:
        await scheduled(scene)
        await scene.clock.advance(2 * HOUR)
        await scene.press(APPROVE)
        await scene.settled()
        await scene.say("/tasks")
        await scene.press("1")
        await scene.press("✏️ Edit")
        await scene.press("🔓 What runs without asking")
        assert '```json\nwrite {"what":"`a`"}\n```' in await scene.shows("asked for these")
        await scene.press("🔓 Allow 1 for 90 days")
        here = Surroundings("here")
        assert task_in(scene).calls == (ApprovedCall("write", '{"what":"`a`"}', here),)
        assert task_in(scene).calls_until is not None
        await scene.clock.advance(2 * HOUR)
        await scene.settled(2)
        assert len(scene.approvals) == 1
        await scene.press("❌ Take back 1")
        assert (task_in(scene).calls, task_in(scene).calls_until) == ((), None)
        await scene.clock.advance(2 * HOUR)
        await scene.parked()
        assert len(scene.approvals) == 2


async def test_times_in_a_reply_are_read_in_the_language_of_the_app() -> None:
    async with stage(says("Hallo.")) as scene:
        scene.language = "de"
        await scene.say("hallo")
        await scene.settled()
        await scheduled(scene)
        tomorrow = scene.clock.now().replace(tzinfo=None, day=3, hour=7)
        scene.moment_words.known["morgen früh"] = tomorrow
        await scene.press("✏️ Edit")
        await scene.press("🕘 Times…")
        question = await shown(scene, "When should it run?")
        await scene.say("morgen früh", reply_to=question)
        await scene.until(lambda: task_in(scene).said == "morgen früh" or None)
        assert scene.moment_words.read_in == ["de"]


async def test_a_long_task_is_told_by_its_first_words_and_says_so() -> None:
    async with stage() as scene:
        task = await scheduled(scene, f"/schedule every 2h | {'Look at the page. ' * 9}")
        assert (len(task.name), task.name[-1]) == (60, "…")
