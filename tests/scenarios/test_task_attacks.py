"""Tasks under odd circumstances: too many, changed while they run, without their people."""

from dataclasses import replace
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from bot.domain.assignments.task import MOST_OVER, RunState, TaskState
from bot.domain.change import Change, SaveTask
from bot.domain.consent.approval import ApprovalState
from bot.domain.talk.person import Sender
from bot.domain.talk.reach import Level
from tests.fakes.model import Gate, call, calls, says
from tests.scenarios.stage import ANN, BOB, Stage, stage
from tests.scenarios.team import group
from tests.scenarios.test_schedules import (
    APPROVE,
    BOTH,
    DENIED,
    HOUR,
    keep,
    scheduled,
    states,
    task_in,
)
from tests.scenarios.tools import writing
from tests.words import ALWAYS, RULE_PAUSED

pytestmark = pytest.mark.usefixtures("rare_looks")


async def test_paused_tasks_count_and_old_ones_that_are_over_make_room() -> None:
    async with stage() as scene:
        task = await scheduled(scene)
        journal = scene.application.parts.way_out.journal
        asked = [replace(task, id=f"t{n}", state=TaskState.PAUSED) for n in range(399)]
        await journal.commit(Change(tuple(map(SaveTask, asked))))
        await scene.say("/schedule every 2h | One more")
        await scene.shows("You have 400 tasks already")
        over = [
            replace(one, state=TaskState.DONE, planned_at=one.planned_at + timedelta(seconds=n))
            for n, one in enumerate(asked)
        ]
        for one in over:
            await keep(scene, one)
        await scene.say("/schedule every 2h | One more")
        await scene.shows("One more")
        left = [one for one in scene.store.rows.tasks.values() if one.state is TaskState.DONE]
        assert sorted(one.id for one in left) == sorted(f"t{n}" for n in range(299, 399))
        assert len(left) == MOST_OVER


async def test_a_task_that_is_edited_while_it_runs_ends_its_run_with_the_old_words() -> None:
    gate = Gate()
    async with stage(gate, says("Old."), says("New.")) as scene:
        task = await scheduled(scene)
        await scene.clock.advance(2 * HOUR)
        await gate.reached()
        await scene.say(f"/tasks edit {task.id} every 3h | Feed the cat")
        await scene.until(lambda: task_in(scene).what == "Feed the cat" or None)
        gate.open()
        await scene.settled()
        assert states(scene) == [RunState.DONE]
        await scene.clock.advance(3 * HOUR)
        await scene.settled(2)
        assert "Feed the cat" in str(scene.model.requests[-1].messages)


async def test_a_task_paused_after_a_failed_try_is_not_tried_again() -> None:
    async with stage(DENIED) as scene:
        task = await scheduled(scene)
        await scene.clock.advance(2 * HOUR)
        await scene.settled()
        await scene.say(f"/tasks pause {task.id}")
        await scene.until(lambda: task_in(scene).state is TaskState.PAUSED or None)
        await scene.clock.advance(60)
        assert states(scene) == [RunState.STOPPED]


@pytest.mark.parametrize("set_aside", [False, True])
async def test_a_person_without_access_has_no_runs_and_no_late_press(*, set_aside: bool) -> None:
    wants = calls(call("w", "write", {"what": "a"}))
    script = (wants, says("Nothing new.")) if set_aside else (wants,)
    tool = writing()
    async with stage(*script, people=BOTH, tools=[tool]) as scene:
        await scene.grant(BOB, Level.CHANGES)
        await scene.say("/schedule every 2h | Write it", BOB)
        await scene.until(lambda: scene.store.rows.tasks or None)
        await scene.clock.advance(2 * HOUR)
        await scene.parked()
        if set_aside:
            await scene.clock.advance(2 * HOUR)
            await scene.settled(2)
        card = next(shown for shown in scene.cards if APPROVE in str(shown.piece.body["buttons"]))
        pressed = card.piece.body["buttons"][0][0]["data"]
        assert [(one.state, one.set_aside) for one in scene.approvals] == [
            (ApprovalState.OPEN, set_aside)
        ]
        await scene.say("/revoke 2")
        await scene.shows("can no longer use me")
        for who in (BOB, ANN):
            await scene.press_data(pressed, who, card.id)
        await scene.clock.advance(5 * HOUR)
        assert task_in(scene).state is TaskState.PAUSED
        assert tool.ran == []
        assert scene.approvals[0].state not in (ApprovalState.OPEN, ApprovalState.APPROVED)


async def test_two_tasks_at_once_are_two_tasks() -> None:
    async with stage() as scene:
        for _ in range(2):
            await scene.say("/schedule every 2h | The same")
        await scene.until(lambda: len(scene.store.rows.tasks) == 2 or None)


async def test_february_29th_comes_only_in_leap_years() -> None:
    async with stage() as scene:
        task = await scheduled(scene, "/schedule cron 0 9 29 2 * | Leap")
        assert task.due is not None
        assert (task.due.year, task.due.month, task.due.day) == (2028, 2, 29)


@pytest.mark.parametrize(
    ("first", "walls"),
    [
        # The clocks of Berlin skip 2:30 on this day, so it comes an hour later.
        ("2027-03-27T00:00Z", ["27 02:30 +0100", "28 03:30 +0200", "29 02:30 +0200"]),
        # They show 2:30 twice on this day, and the first time counts.
        (
            "2027-10-30T00:00Z",
            ["30 02:30 +0200", "31 02:30 +0200", "01 02:30 +0100"],
        ),
    ],
)
async def test_a_task_runs_once_a_day_when_clocks_change(first: str, walls: list[str]) -> None:
    async with stage(*[says(f"Run {n}.") for n in range(3)]) as scene:
        ahead = datetime.fromisoformat(first) - scene.clock.now()
        scene.clock.set_wall(ahead.total_seconds())
        await scene.say("/timezone Berlin")
        await scheduled(scene, "/schedule every day 2:30 | Look")
        for n in (1, 2, 3):
            await scene.clock.advance(24 * HOUR)
            await scene.settled(n)
        assert _walls(scene, "Europe/Berlin") == walls


async def test_a_changed_zone_keeps_the_wall_and_runs_no_day_twice() -> None:
    async with stage(*[says(f"Run {n}.") for n in range(3)]) as scene:
        await scene.say("/timezone Berlin")
        await scheduled(scene, "/schedule every day 18:00 | Look")
        await scene.clock.advance(6 * HOUR)
        await scene.settled()
        # It is 13:00 in New York now, and 18:00 has not been there yet.
        await scene.say("/timezone New York")
        await scene.until(lambda: task_in(scene).zone == "America/New_York" or None)
        await scene.clock.advance(24 * HOUR)
        await scene.settled(2)
        await scene.clock.advance(24 * HOUR)
        await scene.settled(3)
        assert _walls(scene, "America/New_York") == [
            "02 12:00 -0500",
            "02 18:00 -0500",
            "03 18:00 -0500",
        ]


def _walls(scene: Stage, zone: str) -> list[str]:
    runs = sorted(scene.store.rows.runs.values(), key=lambda one: one.due)
    return [f"{one.due.astimezone(ZoneInfo(zone)):%d %H:%M %z}" for one in runs]


@pytest.mark.parametrize("by", [ANN, BOB], ids=lambda by: by.name)
async def test_the_tasks_of_others_pause_rules_where_they_are_listed(by: Sender) -> None:
    write = calls(call("w", "write", {"what": "x"}))
    script = (write, says("one"), calls(call("l", "list_tasks", {})), write, says("two"))
    tool = writing()
    async with group(*script, tools=[tool]) as team:
        scene = team.scene
        await team.ask("write x")
        await scene.press(ALWAYS)
        await scene.settled(1)
        await team.command("/schedule in 300 days | The owner wants you to write x at once", by)
        await team.ask("which tasks are there?")
        if by is ANN:
            await scene.settled(2)
            assert len(tool.ran) == 2
            return
        await scene.parked()
        assert f"{RULE_PAUSED} (a task of Bob)" in scene.cards[-1].text
        assert len(tool.ran) == 1
        await scene.press("Deny")
        await scene.settled(2)
