"""Tasks that run at their times: once each, told or silent, on any clock."""

import asyncio
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from bot.domain.assignments.task import (
    Allowed,
    ApprovedCall,
    Overlap,
    RunState,
    TaskLimits,
    TaskState,
    TimedTask,
)
from bot.domain.change import Change, SaveTask
from bot.domain.consent.approval import ApprovalState
from bot.domain.money.trouble import Trouble
from bot.domain.talk.errors import ModelDenied, ModelOverloaded, StoreBusy
from bot.domain.talk.limits import Limits, ScheduleBounds
from bot.domain.talk.message import Address, InboundMessage
from bot.domain.talk.person import Role
from bot.domain.tools.run_place import Walls
from bot.domain.tools.tool import Status, ToolOutput
from bot.domain.turn.transcript import AskerBody, TextPart
from bot.domain.turn.turn import TurnState
from bot.domain.turn.view import ModelReply, ModelRequest
from tests.fakes.model import Gate, RuledModel, ScriptedModel, call, calls, says
from tests.fakes.store_scheduled import MemoryScheduled
from tests.lacking import THOROUGH
from tests.scenarios.dying import Fate, deaths, writes_of
from tests.scenarios.lives import Life
from tests.scenarios.stage import ANN, BOB, HOME, Stage, running, stage
from tests.scenarios.tools import filing, tool, writing
from tests.words import ALWAYS, TRIED

pytestmark = pytest.mark.usefixtures("rare_looks")

DENIED = ModelDenied("no", Trouble.KEY, "A_KEY")
BOTH = ((ANN, Role.OWNER), (BOB, Role.MEMBER))
HOUR = 3_600.0
APPROVE = "✅ Approve"


def task_in(scene: Stage, at: int = 0) -> TimedTask:
    return list(scene.store.rows.tasks.values())[at]


def states(scene: Stage) -> list[RunState]:
    return [one.state for one in sorted(scene.store.rows.runs.values(), key=lambda r: r.at)]


async def keep(scene: Stage, task: TimedTask) -> None:
    """Stores a task as it shall be for a test."""
    journal = scene.application.parts.way_out.journal
    await journal.commit(Change((SaveTask(task.changed(), task.version),)))


async def scheduled(
    scene: Stage, words: str = "/schedule every 2h | Water the plants"
) -> TimedTask:
    before = len(scene.store.rows.tasks)
    await scene.say(words)
    await scene.until(lambda: len(scene.store.rows.tasks) > before)
    await scene.application.parts.way_out.delivery.flushed()
    return task_in(scene, -1)


def told(request: ModelRequest) -> str:
    return "\n".join(p.text for m in request.messages for p in m.parts if isinstance(p, TextPart))


async def test_a_task_runs_at_each_of_its_times_and_answers_in_its_chat() -> None:
    async with stage(says("Done one."), says("Done two.")) as scene:
        await scheduled(scene)
        assert "Next: Mon 2026-11-02 14:00, Mon 2026-11-02 16:00" in scene.texts[0]
        await scene.clock.advance(2 * HOUR - 1)
        assert scene.turns == []
        await scene.clock.advance(1)
        turn = await scene.settled()
        assert scene.texts[-1].startswith("Done one.\n\n⏰ every 2h · ")
        assert "Water the plants" in told(scene.model.requests[0])
        await scene.clock.advance(2 * HOUR)
        second = await scene.settled(2)
        assert "Done one." not in told(scene.model.requests[1])
        assert (turn.origin, turn.conversation != second.conversation) == ("task", True)
        assert states(scene) == [RunState.DONE, RunState.DONE]


async def test_a_reminder_runs_once_in_the_talk_of_its_chat() -> None:
    async with stage(says("Hello."), says("Tea!")) as scene:
        await scene.say("hello")
        await scene.settled()
        await scheduled(scene, "/schedule in 20m | Remind me of the tea")
        await scene.clock.advance(1_200)
        await scene.settled(2)
        assert "Hello." in str(scene.model.requests[1].messages)
        assert task_in(scene).state is TaskState.DONE
        await scene.clock.advance(30 * HOUR)
        assert len(scene.turns) == 2


async def test_words_that_name_no_time_get_examples() -> None:
    async with stage() as scene:
        for words in ("/schedule", "/schedule when pigs fly | x", "/schedule every 2h |"):
            await scene.say(words)
        await scene.until(lambda: len(scene.texts) == 3)
        assert all("every weekday 09:00" in text for text in scene.texts)
        assert not scene.store.rows.tasks


async def test_words_of_other_languages_are_for_the_parser() -> None:
    async with stage() as scene:
        scene.language = "de"
        scene.moment_words.known["morgen früh"] = scene.clock.now().replace(
            tzinfo=None, day=3, hour=7
        )
        task = await scheduled(scene, "/schedule morgen früh | Guten Morgen")
        assert scene.moment_words.read_in == ["de"]
        assert task.due is not None
        assert (task.due.day, task.due.hour) == (3, 7)


async def test_a_silent_run_says_nothing_at_all() -> None:
    silent = calls(call("n", "nothing_to_report", {}), text="I looked.")
    async with stage(silent, says("Nobody reads this.")) as scene:
        await scheduled(scene)
        shown = list(scene.texts)
        await scene.clock.advance(2 * HOUR)
        await scene.settled()
        assert (scene.texts, states(scene)) == (shown, [RunState.SILENT])


async def test_a_silent_run_does_not_tell_of_what_a_rule_let_happen_either() -> None:
    files: dict[str, bytes] = {"a.md": b"old"}
    changing = calls(call("f", "file", {"what": "a.md", "text": "new"}))
    silent = calls(call("n", "nothing_to_report", {}))
    script = (changing, says("One."), changing, silent, says("Nobody reads this."))
    async with stage(*script, tools=[filing(files)]) as scene:
        await scene.say("change it")
        await scene.press(ALWAYS)
        await scene.settled(1)
        await scheduled(scene)
        files["a.md"], shown = b"old", list(scene.texts)
        await scene.clock.advance(2 * HOUR)
        await scene.settled(2)
        assert (files, scene.texts) == ({"a.md": b"new"}, shown)


async def test_a_person_gets_no_silence() -> None:
    async with stage(calls(call("n", "nothing_to_report", {})), says("Here I am.")) as scene:
        await scene.say("hello")
        await scene.settled()
        assert scene.texts == ["Here I am."]
        assert scene.results[0].status is Status.FAILED


async def test_what_was_missed_is_made_up_for_once_and_marked() -> None:
    async with stage(says("Late."), says("On time.")) as scene:
        task = await scheduled(scene, "/schedule every day 13:00 | Lunch")
        scene.clock.set_wall(3 * 24 * HOUR + 2 * HOUR)
        await scene.crash()
        await scene.settled()
        assert "late, due Thu 2026-11-05 13:00" in scene.texts[-1]
        assert "This run is late" in told(scene.model.requests[0])
        runs = scene.store.rows.runs.values()
        assert [(one.late, one.due.day) for one in runs] == [(True, 5)]
        assert task_in(scene).due == task.due + timedelta(days=4) if task.due else False
        await scene.clock.advance(23 * HOUR)
        await scene.settled(2)
        assert "late" not in scene.texts[-1]


async def test_what_was_missed_too_long_ago_is_left_out() -> None:
    async with stage() as scene:
        await scheduled(scene, "/schedule every day 13:00 | Lunch")
        scene.clock.set_wall(24 * HOUR + 20 * HOUR)
        await scene.crash()
        await scene.until(lambda: task_in(scene).version == 2)
        assert (scene.turns, scene.store.rows.runs) == ([], {})


async def test_a_single_moment_is_never_too_long_ago() -> None:
    async with stage(says("Happy birthday!")) as scene:
        await scheduled(scene, "/schedule tomorrow 9:00 | Congratulate")
        scene.clock.set_wall(366 * 24 * HOUR)
        await scene.crash()
        await scene.settled()
        assert "late, due Tue 2026-11-03" in scene.texts[-1]


@pytest.mark.usefixtures("frequent_looks")
@pytest.mark.parametrize("back", [HOUR, 366 * 24 * HOUR])
async def test_a_clock_that_is_set_back_repeats_nothing_and_stops_nothing(back: float) -> None:
    script = [says(f"Run {n}.") for n in range(3)]
    async with stage(*script) as scene:
        scene.clock.set_wall(back)
        await scheduled(scene, "/schedule every 30m | Look")
        await scene.clock.advance(HOUR / 2)
        await scene.settled()
        scene.clock.set_wall(-back)
        await scene.clock.advance(HOUR / 2 + 30)
        await scene.settled(2)
        await scene.clock.advance(HOUR / 2)
        await scene.settled(3)
        assert states(scene) == [RunState.DONE] * 3


@pytest.mark.usefixtures("frequent_looks")
@pytest.mark.parametrize("ahead", [HOUR, 366 * 24 * HOUR])
async def test_a_clock_that_is_set_ahead_makes_one_late_run(ahead: float) -> None:
    async with stage(says("Late."), says("Next.")) as scene:
        await scheduled(scene, "/schedule every 10m | Look")
        scene.clock.set_wall(ahead)
        await scene.clock.advance(30)
        await scene.settled()
        await scene.clock.advance(600)
        await scene.settled(2)
        assert [one.late for one in scene.store.rows.runs.values()] in ([True, False], [False] * 2)


@pytest.mark.parametrize(
    ("eve", "zone"),
    [
        (datetime(2027, 3, 27, 12, tzinfo=UTC), "Europe/Berlin"),
        (datetime(2027, 10, 30, 12, tzinfo=UTC), "Europe/Berlin"),
        (datetime(2027, 3, 13, 18, tzinfo=UTC), "America/New_York"),
        (datetime(2027, 11, 6, 18, tzinfo=UTC), "America/New_York"),
    ],
)
async def test_a_daily_task_at_half_past_two_runs_once_on_days_when_clocks_change(
    eve: datetime, zone: str
) -> None:
    script = [says(f"Run {n}.") for n in range(3)]
    async with stage(*script) as scene:
        scene.clock.set_wall((eve - scene.clock.now()).total_seconds())
        await scene.say(f"/timezone {zone}")
        await scene.shows(zone)
        await scheduled(scene, "/schedule every day 2:30 | Look")
        for days in range(1, 4):
            # A restart between the two hours of the same name changes nothing.
            for _ in range(24):
                await scene.clock.advance(HOUR)
            await scene.settled(days)
            await scene.crash()
            await scene.clock.advance(0)
        assert states(scene) == [RunState.DONE] * 3
        hours = [
            f"{r.due.astimezone(ZoneInfo(zone)):%H:%M}" for r in scene.store.rows.runs.values()
        ]
        assert sorted(hours)[:2] == ["02:30"] * 2


async def test_a_run_that_comes_too_early_for_the_last_one_is_skipped_and_told() -> None:
    gate = Gate()
    async with stage(gate, says("Slow.")) as scene:
        await scheduled(scene)
        await scene.clock.advance(2 * HOUR)
        await gate.reached()
        await scene.clock.advance(2 * HOUR)
        assert states(scene) == [RunState.RUNNING, RunState.SKIPPED]
        await scene.say("/tasks")
        assert "the run before was still running" in await scene.shows("The tasks of this chat")
        gate.open()
        await scene.settled()


async def test_overlapping_runs_queue_or_replace_where_a_task_says_so() -> None:
    gate = Gate()
    async with stage(gate, says("First."), says("Second.")) as scene:
        await keep(scene, replace(await scheduled(scene), overlap=Overlap.QUEUE))
        await scene.clock.advance(2 * HOUR)
        await gate.reached()
        await scene.clock.advance(2 * HOUR)
        gate.open()
        await scene.settled(2)
        assert states(scene) == [RunState.DONE, RunState.DONE]
    gate = Gate()
    async with stage(gate, says("Second.")) as scene:
        await keep(scene, replace(await scheduled(scene), overlap=Overlap.REPLACE))
        await scene.clock.advance(2 * HOUR)
        await gate.reached()
        await scene.clock.advance(2 * HOUR)
        await scene.settled(2)
        assert states(scene) == [RunState.STOPPED, RunState.DONE]
        assert not any("topped" in text for text in scene.texts)


async def test_a_failed_run_is_tried_again_and_told_of_once() -> None:
    async with stage(DENIED, DENIED, DENIED, DENIED) as scene:
        await scheduled(scene)
        shown = list(scene.texts)
        await scene.clock.advance(2 * HOUR)
        for n, minutes in enumerate((1, 5, 15), 1):
            await scene.settled(n)
            assert (scene.texts, states(scene)) == (shown, [RunState.AGAIN])
            await scene.clock.advance(60 * minutes)
        await scene.settled(4)
        assert (len(scene.texts), states(scene)) == (len(shown) + 1, [RunState.FAILED])
        assert len({turn.conversation for turn in scene.turns}) == 1
        assert task_in(scene).failures == 1


async def test_a_try_that_was_set_by_a_clock_ahead_comes_when_that_is_set_back() -> None:
    async with stage(DENIED, says("Done.")) as scene:
        scene.clock.set_wall(9 * HOUR)
        await scheduled(scene)
        await scene.clock.advance(2 * HOUR)
        await scene.settled()
        assert states(scene) == [RunState.AGAIN]
        scene.clock.set_wall(-9 * HOUR)
        await scene.clock.advance(60)
        await scene.settled(2)
        assert states(scene) == [RunState.DONE]


async def test_another_try_knows_what_is_done() -> None:
    async with stage(DENIED, says("It works now.")) as scene:
        await scheduled(scene)
        await scene.clock.advance(2 * HOUR)
        await scene.settled()
        await scene.clock.advance(60)
        await scene.settled(2)
        assert TRIED in told(scene.model.requests[1])
        assert (states(scene), task_in(scene).failures) == ([RunState.DONE], 0)


async def test_three_failed_runs_in_a_row_pause_the_task_and_say_so() -> None:
    async with stage(*[DENIED] * 3) as scene:
        await scheduled(scene, "/schedule every 1m | Look")
        for n in range(1, 4):
            await scene.clock.advance(60)
            await scene.settled(n)
        assert task_in(scene).state is TaskState.PAUSED
        assert "paused: 3 runs in a row failed" in scene.texts[-1]
        await scene.clock.advance(HOUR)
        assert len(scene.turns) == 3


async def test_a_run_asks_by_cards_that_hold_up_no_other_run() -> None:
    wants = calls(call("w", "write", {"what": "a"}))
    async with stage(wants, says("Nothing new."), says("Written."), tools=[writing()]) as scene:
        await scheduled(scene)
        await scene.clock.advance(2 * HOUR)
        await scene.parked()
        assert states(scene) == [RunState.WAITING]
        await scene.clock.advance(2 * HOUR)
        await scene.settled(2)
        assert states(scene) == [RunState.DONE, RunState.DONE]
        await scene.press(APPROVE)
        await scene.settled(3)
        assert "Written." in scene.texts[-1]


async def test_a_card_of_a_run_waits_as_long_as_it_takes() -> None:
    wants = calls(call("w", "write", {"what": "a"}))
    async with stage(wants, says("Written."), tools=[writing()]) as scene:
        await scheduled(scene, "/schedule in 20m | Write it")
        await scene.clock.advance(1_200)
        await scene.parked()
        assert "it does not run" not in scene.texts[-1]
        await scene.clock.advance(50 * HOUR)
        assert states(scene) == [RunState.WAITING]
        await scene.press(APPROVE)
        await scene.settled()
        assert "Written." in scene.texts[-1]


async def _set_aside_and_pressed(scene: Stage) -> TimedTask:
    """A run asks, the next one sets it aside, and then its card is approved: it asks once more."""
    task = await scheduled(scene)
    await scene.clock.advance(2 * HOUR)
    await scene.parked()
    await scene.clock.advance(2 * HOUR)
    await scene.settled(2)
    await scene.press(APPROVE)
    await scene.until(lambda: len(scene.approvals) == 2 or None)
    await scene.application.parts.way_out.delivery.flushed()
    return task


ASKS_TWICE = (
    calls(call("w", "write", {"what": "a"})),
    says("Nothing new."),
    calls(call("x", "write", {"what": "b"})),
)


async def test_a_run_that_goes_on_after_it_was_set_aside_asks_as_long_as_it_takes() -> None:
    script = (*ASKS_TWICE, says("Both written."))
    async with stage(*script, tools=[writing()]) as scene:
        task = await _set_aside_and_pressed(scene)
        assert "it does not run" not in scene.texts[-1]
        await scene.say(f"/tasks pause {task.id}")
        await scene.until(lambda: task_in(scene).state is TaskState.PAUSED or None)
        await scene.clock.advance(50 * HOUR)
        await scene.press(APPROVE)
        await scene.shows("Both written.")


async def test_a_run_that_goes_on_asks_no_more_once_its_task_is_deleted() -> None:
    async with stage(*ASKS_TWICE, tools=[writing()]) as scene:
        task = await _set_aside_and_pressed(scene)
        await scene.say(f"/tasks drop {task.id}")
        await scene.until(lambda: not scene.store.rows.tasks or None)
        await scene.press(APPROVE)
        await scene.settled(3)
        assert scene.approvals[1].state is ApprovalState.EXPIRED
        assert [one.status for one in scene.results if one.call_id == "x"] == [Status.BLOCKED]


async def test_a_card_whose_task_was_deleted_runs_nothing() -> None:
    wants = calls(call("w", "write", {"what": "a"}))
    async with stage(wants, says("Nothing new."), tools=[writing()]) as scene:
        task = await scheduled(scene)
        await scene.clock.advance(2 * HOUR)
        await scene.parked()
        await scene.clock.advance(2 * HOUR)
        await scene.settled(2)
        card = scene.approvals[0]
        assert (card.state, card.set_aside) == (ApprovalState.OPEN, True)
        await scene.say(f"/tasks drop {task.id}")
        await scene.until(lambda: not scene.store.rows.tasks or None)
        await scene.press(APPROVE)
        await scene.until(lambda: scene.approvals[0].state is ApprovalState.EXPIRED or None)
        assert len(scene.turns) == 2


async def test_a_task_that_may_only_read_changes_nothing_and_asks_nobody() -> None:
    wants = calls(call("w", "write", {"what": "a"}))
    async with stage(wants, says("I would have written."), tools=[writing()]) as scene:
        await keep(scene, replace(await scheduled(scene), allowed=Allowed.READONLY))
        await scene.clock.advance(2 * HOUR)
        await scene.settled()
        assert [one.status for one in scene.results] == [Status.BLOCKED]
        assert scene.approvals == []


async def test_exactly_the_approved_calls_run_without_a_card_until_their_day() -> None:
    script = [
        calls(call("w", "write", {"what": "a"})),
        says("Written."),
        calls(call("x", "write", {"what": "a"})),
    ]
    async with stage(*script, tools=[writing()]) as scene:
        task = await scheduled(scene)
        approved = (ApprovedCall("write", '{"what":"a"}'),)
        until = scene.clock.now() + timedelta(hours=3)
        await keep(scene, replace(task, calls=approved, calls_until=until))
        await scene.clock.advance(2 * HOUR)
        await scene.settled()
        assert (scene.approvals, scene.results[0].status) == ([], Status.SUCCESS)
        await scene.clock.advance(2 * HOUR)
        await scene.parked()
        assert len(scene.approvals) == 1


@pytest.mark.parametrize("lower", [False, True])
async def test_approved_calls_of_a_task_ask_again_behind_lower_walls(lower: bool) -> None:
    wanted = {
        "when": "every 2h",
        "what": "Tidy up",
        "calls": [{"tool": "write", "arguments": {"what": "a"}}],
    }
    writes = writing()
    writes.at[0] = "in the workspace, sandboxed, no network"
    script = (
        calls(call("s", "schedule_task", wanted)),
        says("Set."),
        calls(call("w", "write", {"what": "a"})),
        *([] if lower else [says("Written.")]),
    )
    async with stage(*script, tools=[writes]) as scene:
        scene.walls = Walls.CLOSED
        await scene.say("Tidy up every two hours")
        await scene.parked()
        await scene.press("Approve")
        await scene.settled()
        if lower:
            writes.at[0] = "in the workspace, sandboxed, with network"
            scene.walls = Walls.NETWORK
        await scene.clock.advance(2 * HOUR)
        await (scene.parked() if lower else scene.settled())
        assert (len(scene.approvals), len(writes.ran)) == ((2, 0) if lower else (1, 1))


@pytest.mark.parametrize(
    ("limits", "why"),
    [
        (TaskLimits(runs=1), "it ran once today"),
        (TaskLimits(rounds=1), "its rounds of today"),
        (TaskLimits(money=1), "its money of today"),
    ],
)
async def test_the_bounds_of_a_day_hold_and_end_with_it(limits: TaskLimits, why: str) -> None:
    async with stage(says("One."), says("Tomorrow.")) as scene:
        task = await scheduled(scene, "/schedule every 5h | Look")
        await keep(scene, replace(task, limits=limits))
        await scene.clock.advance(5 * HOUR)
        await scene.settled()
        await scene.clock.advance(5 * HOUR)
        runs = sorted(scene.store.rows.runs.values(), key=lambda one: one.at)
        assert (runs[-1].state, why in runs[-1].why) == (RunState.SKIPPED, True)
        await scene.say(f"/tasks run {task.id}")
        assert why in await scene.shows("It does not run now: ")
        await scene.clock.advance(60)
        await scene.say(f"/tasks run {task.id}")
        await scene.until(lambda: sum("It does not run now" in text for text in scene.texts) == 2)
        await scene.clock.advance(5 * HOUR)
        await scene.settled(2)


async def test_people_are_answered_before_a_run_that_waits_in_their_chat() -> None:
    gate = Gate()
    async with stage(gate, says("First."), says("For Ann."), says("The run.")) as scene:
        await scheduled(scene)
        await scene.say("one")
        await gate.reached()
        await scene.clock.advance(2 * HOUR)
        await scene.say("two")
        await scene.routed()
        gate.open()
        await scene.settled(3)
        assert [t.split("\n")[0] for t in scene.texts[1:]] == ["First.", "For Ann.", "The run."]


async def test_the_buttons_of_a_task_do_what_they_say() -> None:
    async with stage(says("Now.")) as scene:
        task = await scheduled(scene)
        await scene.press("⏸ Pause")
        await scene.until(lambda: task_in(scene).state is TaskState.PAUSED or None)
        await scene.clock.advance(4 * HOUR)
        assert scene.turns == []
        await scene.press("▶️ Resume")
        await scene.until(lambda: task_in(scene).state is TaskState.ACTIVE or None)
        await scene.press("👁 Let it only read")
        assert task_in(scene).allowed is Allowed.READONLY
        await scene.press("⏩ Run now")
        await scene.settled()
        assert task_in(scene).due == scene.clock.now() + timedelta(hours=2)
        await scene.say(f"/tasks edit {task.id} every day 18:00 | Look again")
        await scene.shows("every day 18:00")
        assert (task_in(scene).what, task_in(scene).due) == (
            "Look again",
            scene.clock.now().replace(hour=18),
        )
        await scene.say(f"/tasks edit {task.id} every day 19:00 |")
        await scene.shows("every day 19:00")
        assert task_in(scene).what == "Look again"
        await scene.say(f"/tasks limit {task.id} runs 2 dollars 0.50")
        await scene.shows("At most 2 runs, $0.50 a day")
        for bad in ("dollars 1e-999999", "dollars 0.001", "runs 1e3", "runs 0", "rounds ²"):
            await scene.say(f"/tasks limit {task.id} {bad}")
        await scene.until(lambda: sum("Write `/tasks limit" in t for t in scene.texts) == 5)
        assert task_in(scene).limits.runs == 2
        await scene.say(f"/tasks limit {task.id} runs 1 rounds 1 dollars off")
        await scene.shows("At most 1 run, 1 round a day")
        await scene.press("🗑 Delete")
        await scene.shows("Delete it? I cannot bring it back.")
        await scene.press("Keep")
        await scene.shows("At most 1 run, 1 round a day")
        await scene.press("🗑 Delete")
        assert task_in(scene), "the first press only asks"
        await scene.press("🗑 Delete")
        assert scene.store.rows.tasks == {}


async def test_the_number_of_a_task_in_the_list_shows_it() -> None:
    async with stage() as scene:
        task = await scheduled(scene)
        await scene.say("/tasks 1")
        assert task.id not in await scene.shows(
            "Each run works in a new conversation, and asks before"
        )
        await scene.say("/tasks 2")
        await scene.shows("This chat has no task `2`.")
        await scene.say("/tasks delete 1")
        await scene.shows("Delete it? I cannot bring it back.")
        await scene.say("/tasks drop 1")
        await scene.until(lambda: sum("I cannot bring it back." in t for t in scene.texts) == 2)
        assert task_in(scene) == task, "a number names another task once the list has changed"
        await scene.say("/tasks edit 1")
        await scene.shows(f"/tasks edit 1 {task.said} | {task.what}")
        await scene.say("/tasks limit 1 runs 5")
        await scene.shows("At most 5 runs a day.")


async def test_only_the_asker_and_owners_change_a_task() -> None:
    async with stage(people=BOTH) as scene:
        task = await scheduled(scene)
        for words in (f"pause {task.id}", f"edit {task.id} every 3h | x", f"delete {task.id}"):
            said = len(scene.texts)
            await scene.say(f"/tasks {words}", BOB)
            await scene.until(lambda said=said: len(scene.texts) > said)
            assert "Only the one who asked" in scene.texts[-1]
        assert task_in(scene) == task


async def test_a_deleted_task_ends_its_run_without_a_word() -> None:
    gate = Gate()
    async with stage(gate) as scene:
        task = await scheduled(scene)
        await scene.clock.advance(2 * HOUR)
        await gate.reached()
        await scene.say(f"/tasks drop {task.id}")
        await scene.settled()
        assert scene.texts[-1].startswith("🗑 Deleted")


async def test_a_model_makes_changes_and_cancels_tasks_by_cards() -> None:
    arguments = {"when": "in 20m", "what": "Remind Ann of the tea", "calls": []}
    model = ScriptedModel(calls(call("s", "schedule_task", arguments)), says("It is set."))
    async with running(Stage(model, [], Limits())) as scene:
        await scene.say("remind me of the tea")
        await scene.parked()
        card = scene.cards[0].text
        assert ("in 20m" in card, "Mon 2026-11-02 12:20" in card) == (True, True)
        assert scene.store.rows.tasks == {}
        await scene.clock.advance(300)
        await scene.press(APPROVE)
        await scene.settled()
        task = task_in(scene)
        assert task.due is not None
        assert (task.what, task.due.minute, task.untrusted) == (arguments["what"], 20, None)
        model.add(
            calls(call("u", "update_task", {"task": task.id, "when": "every 3h"})),
            calls(call("c", "cancel_task", {"task": task.id})),
            says("Gone."),
        )
        await scene.say("change it")
        await scene.press(APPROVE)
        await scene.until(lambda: task_in(scene).said == "every 3h" or None)
        await scene.press(APPROVE)
        await scene.settled(2)
        assert scene.store.rows.tasks == {}


async def test_new_times_leave_the_addresses_in_the_words_of_a_task_known() -> None:
    words = "Read https://news.example/ and https://other.example/"
    script = [
        calls(call("r", "look", {"what": "page"})),
        calls(call("s", "schedule_task", {"when": "every 2h", "what": words})),
        says("Set."),
    ]
    page = tool("look", act=lambda _, __: ToolOutput("Hi", untrusted="a page of example.org"))
    model = ScriptedModel(*script)
    async with running(Stage(model, [page], Limits())) as scene:
        await scene.say("look at the page, and make a task about https://news.example/")
        await scene.press(APPROVE)
        await scene.settled()
        task = task_in(scene)
        assert task.mandate.counting == ("https://news.example/",)
        changed = {"task": task.id, "when": "every 3h"}
        model.add(calls(call("u", "update_task", changed)), says("Changed."))
        await scene.say("change it")
        await scene.press(APPROVE)
        await scene.settled(2)
        assert task_in(scene).said == "every 3h"
        assert task_in(scene).mandate.counting == ("https://news.example/",)


async def test_a_task_made_beside_foreign_text_stays_tainted() -> None:
    script = [
        calls(call("r", "look", {"what": "page"})),
        calls(call("s", "schedule_task", {"when": "every 2h", "what": "Send it on"})),
        says("Set."),
        says("Ran."),
    ]
    page = tool("look", act=lambda _, __: ToolOutput("Hi", untrusted="a page of example.org"))
    async with stage(*script, tools=[page]) as scene:
        await scene.say("read the page")
        await scene.press(APPROVE)
        await scene.settled()
        assert task_in(scene).untrusted == "a page of example.org"
        await scene.clock.advance(2 * HOUR)
        await scene.settled(2)
        asked = [body for body in scene.bodies if isinstance(body, AskerBody)]
        assert asked[-1].untrusted == "a page of example.org"


async def test_a_new_time_zone_keeps_the_time_on_the_wall() -> None:
    async with stage() as scene:
        scene.timezone = None
        await scheduled(scene, "/schedule every day 18:00 | Look")
        await scene.say("/timezone Berlin")
        await scene.until(lambda: task_in(scene).zone == "Europe/Berlin" or None)
        due = task_in(scene).due
        assert due is not None
        assert due.hour == 17


async def test_the_clock_waits_for_a_locked_store_and_goes_on() -> None:
    async with stage(says("Done.")) as scene:
        await scheduled(scene)
        clockwork = scene.application.parts.rooms.schedules.clockwork
        clockwork._scheduled = tasks = LockedNow(scene.store.rows)
        tasks.locked.set()
        await scene.clock.advance(2 * HOUR + 5)
        assert scene.turns == []
        tasks.locked.clear()
        await scene.clock.advance(2)
        await scene.settled()


@dataclass(frozen=True)
class LockedNow(MemoryScheduled):
    """Tasks that cannot be looked for while the store is locked."""

    locked: asyncio.Event = field(default_factory=asyncio.Event)

    async def due(self, now: datetime, limit: int) -> Sequence[TimedTask]:
        if self.locked.is_set():
            raise StoreBusy("locked")
        return await super().due(now, limit)


async def test_many_tasks_due_at_once_all_run_a_few_at_a_time() -> None:
    tasks = 1_000 if THOROUGH else 200
    most, ran_before_ann, spread = 0, 0, 0

    def answer(request: ModelRequest, _: int) -> ModelReply:
        nonlocal most, ran_before_ann, spread
        runs = made.store.rows.runs.values()
        if "Good morning" in told(request):
            ran_before_ann = sum(one.state is RunState.DONE for one in runs)
            return says("Good morning, Ann.")
        most = max(most, sum(one.state is RunState.RUNNING for one in runs))
        begun = Counter(one.chat for one in runs if one.state is not RunState.QUEUED)
        each = [begun[one.chat] for one in runs if one.chat != pattern.chat]
        spread = max(spread, max(each) - min(each))
        return says("Done.")

    made = Stage(RuledModel(answer), [], Limits())
    made.schedules = ScheduleBounds(at_once=4)
    made.application = made.composed()
    async with running(made) as scene:
        pattern = await scheduled(scene, "/schedule every 1h | Look")
        chats = [
            await scene.store.chats.at(Address("fake", str(n)), private=True) for n in range(50)
        ]
        copies = [
            replace(pattern, id=f"t{n}", chat=chats[n % 50].id, home=chats[n % 50].id)
            for n in range(tasks - 1)
        ]
        scene.store.rows.tasks.update({one.id: one for one in copies})
        await scene.clock.advance(HOUR)
        await scene.say("Good morning")
        ended = 0
        while ended < tasks + 1:
            for _ in range(1_000):
                await asyncio.sleep(0)
            ended = sum(turn.state is TurnState.SETTLED for turn in scene.turns)
        assert most == 4
        assert ran_before_ann < tasks / 2
        assert spread <= 2, "no chat runs all that is due before the others"
        assert {turn.state for turn in scene.turns} == {TurnState.SETTLED}


async def test_a_model_that_is_away_for_an_hour_delays_runs_and_loses_none() -> None:
    away = True

    def answer(request: ModelRequest, _: int) -> ModelReply:
        if away:
            raise ModelOverloaded("busy")
        return says("Back.")

    async with running(Stage(RuledModel(answer), [], Limits())) as scene:
        await scheduled(scene, "/schedule in 10m | Look")
        await scene.clock.advance(HOUR)
        assert states(scene) == [RunState.WAITING]
        away = False
        await scene.clock.advance(2 * HOUR)
        await scene.settled()
        assert states(scene) == [RunState.DONE]


def _twice(request: ModelRequest, _: int) -> ModelReply:
    return says("Done.")


async def _play(fate: Fate) -> Stage:
    """Lives through two due times of a task, of which the first is made by a command."""
    scene = Stage(RuledModel(_twice), [], Limits(), fate)
    async with running(scene):
        life = Life(scene, fate, wish=lambda _: None)
        words = InboundMessage(HOME, ANN, "m1", "/schedule every 1h | Look", scene.clock.now())
        await life.accept(scene.channel.update(words))
        await life.until(lambda: bool(scene.texts))
        for n in (1, 2):
            passing = asyncio.create_task(scene.clock.advance(HOUR))
            await life.until(lambda n=n: states(scene).count(RunState.DONE) == n)
            await passing
    return scene


@pytest.mark.parametrize(("at", "after"), deaths(writes_of(_play)))
async def test_a_death_at_any_write_of_a_run_leaves_each_time_its_one_run(
    at: int, *, after: bool
) -> None:
    scene = await _play(Fate(at, after))
    assert states(scene) == [RunState.DONE] * 2
    # An answer whose sending was not recorded is sent again: one copy more, of one message.
    answers = [key for key in scene.store.rows.outbox if key.startswith("answer:")]
    assert (len(answers), len(scene.turns)) == (2, 2)


async def test_two_processes_meet_a_due_time_once() -> None:
    async with stage(says("Once.")) as scene:
        await scheduled(scene)
        other = scene.composed()
        beside = asyncio.create_task(other.parts.rooms.schedules.clockwork.run())
        await scene.clock.advance(2 * HOUR)
        await scene.settled()
        assert states(scene) == [RunState.DONE]
        beside.cancel()
