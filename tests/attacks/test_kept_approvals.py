"""Attacks on approvals that are kept: each counts for exactly what stood on the screen."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.domain.assignments.task import ApprovedCall
from bot.domain.consent.approval import ApprovalState
from bot.domain.consent.consent import Consent, difference
from bot.domain.talk.errors import ToolFailure
from bot.domain.talk.limits import Limits
from bot.domain.tools.run_place import BARE, in_todays_words
from bot.domain.tools.tool import (
    Effect,
    ExactRule,
    Preview,
    Replay,
    Surroundings,
    ToolCall,
    ToolOutput,
)
from bot.domain.turn.view import ModelReply, ModelRequest, ResultPart
from bot.ports.tool import Place
from tests.fakes.model import RuledModel, call, calls, says
from tests.fakes.skills import FakeSkills
from tests.scenarios.stage import HOME, Stage, running
from tests.scenarios.test_plan_skills import REPORT
from tests.scenarios.test_plan_skills import running as runs_commands
from tests.scenarios.test_schedules import keep, scheduled
from tests.scenarios.tools import ScenarioTool, tool, writing
from tests.words import APPROVE_ALL

HOUR = 3600.0


def results_in(request: ModelRequest) -> int:
    return sum(isinstance(p, ResultPart) for m in request.messages for p in m.parts)


def two_by_two(request: ModelRequest, _: int) -> ModelReply:
    """Writes two things, then two others, and says so."""
    done = results_in(request)
    if done >= 4:
        return says("Done.")
    names = ("a", "b") if done == 0 else ("x", "y")
    return calls(*(call(f"w-{name}", "write", {"what": name}) for name in names))


async def test_approve_all_that_comes_again_approves_no_card_of_the_next_round() -> None:
    writes = writing()
    scene = Stage(RuledModel(two_by_two), [writes], Limits())
    async with running(scene):
        await scene.say("go")
        shown = await scene.until(lambda: [s for s in scene.cards if APPROVE_ALL in str(s.piece)])
        rows = shown[0].piece.body["buttons"]
        (data,) = [b["data"] for row in rows for b in row if APPROVE_ALL in b["label"]]
        assert await scene.press_data(data, message_id=shown[0].id) == "Approved 2 cards."
        await scene.until(lambda: len(scene.approvals) == 4 or None)
        await scene.application.parts.way_out.delivery.flushed()
        told = await scene.press_data(data, message_id=shown[0].id, at=HOME)
        assert told.startswith("This is decided already")
        await scene.routed()
        assert [one["what"] for one in writes.ran] == ["a", "b"]
        assert [card.state for card in scene.approvals[2:]] == [ApprovalState.OPEN] * 2


RUN = call("r", "run", {"what": "1"})


def takes_the_skill(request: ModelRequest, _: int) -> ModelReply:
    """Puts a skill with a secret to use, and then makes the call that was approved without it."""
    match results_in(request):
        case 0:
            return calls(call("u", "use_skill", {"name": "report"}))
        case 1:
            return calls(RUN)
        case _:
            return says("Done.")


async def test_a_call_of_a_task_gets_no_secret_that_was_not_shown_with_it() -> None:
    one = runs_commands()
    scene = Stage(RuledModel(takes_the_skill), [one], Limits(), skills=FakeSkills(REPORT))
    async with running(scene):
        task = await scheduled(scene)
        await keep(scene, replace(task, calls=(ApprovedCall("run", RUN.canonical),)))
        await scene.clock.advance(2 * HOUR)
        await scene.parked()
        (card,) = scene.approvals
        assert (one.found, "without these variables" in card.preview.why) == ([], True)


async def test_a_call_of_a_task_that_was_shown_with_a_secret_gets_it() -> None:
    one = runs_commands()
    scene = Stage(RuledModel(takes_the_skill), [one], Limits(), skills=FakeSkills(REPORT))
    async with running(scene):
        task = await scheduled(scene)
        shown = Surroundings("here", "report", tuple(sorted(REPORT.environment)))
        await keep(scene, replace(task, calls=(ApprovedCall("run", RUN.canonical, shown),)))
        await scene.clock.advance(2 * HOUR)
        await scene.settled()
        assert ([what for what, *_ in one.found], scene.approvals) == (["1"], [])


class Filing(ScenarioTool):
    """Writes a file whose state a card shows."""

    state = "as shown"

    async def preview(self, arguments: Mapping[str, Any], place: Place) -> Preview:
        return replace(await ScenarioTool.preview(self, arguments, place), seen=Filing.state)


async def test_a_step_of_a_plan_asks_again_when_its_file_changed_after_the_plan_was_shown(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    writes = writing()
    one = Filing(writes.spec, writes.act)
    script = RuledModel(planned(call("w", "write", {"what": "x", "path": "x.md"})))
    async with running(scene := Stage(script, [one], Limits())):
        await scene.say("/plan tidy up")
        await scene.settled()
        monkeypatch.setattr(Filing, "state", "changed since")
        await scene.press("Approve")
        await scene.parked()
        (card,) = scene.approvals
        assert (one.ran, "before its file changed" in card.preview.why) == ([], True)


class Placed(ScenarioTool):
    """Runs commands in a place that its cards show."""

    where = BARE

    async def preview(self, arguments: Mapping[str, Any], place: Place) -> Preview:
        seen, where = await ScenarioTool.preview(self, arguments, place), Placed.where
        return replace(seen, where=where, seen=where, surroundings=Surroundings(where))

    async def run(
        self, arguments: Mapping[str, Any], place: Place, seen: str | None = None
    ) -> ToolOutput:
        if seen is None or in_todays_words(seen) != Placed.where:
            raise ToolFailure(f"shown to run {seen}")
        return await ScenarioTool.run(self, arguments, place, seen)


FORMER_WORDS = "in the workspace, NOT sandboxed, with all rights of the bot"


@pytest.mark.parametrize(
    ("shown", "now", "cards"),
    [
        (FORMER_WORDS, BARE, 1),
        ("in the workspace, sandboxed, no network", BARE, 2),
        (BARE, "in the workspace, sandboxed, no network", 2),
        ("in words nobody knows any more", BARE, 2),
    ],
)
async def test_an_approved_call_is_shown_again_by_itself_only_where_its_place_has_changed(
    shown: str, now: str, cards: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    writes = writing()
    one = Placed(writes.spec, writes.act)
    monkeypatch.setattr(Placed, "where", shown)
    scene = Stage(RuledModel(writes_once), [one], Limits())
    async with running(scene):
        await scene.say("go")
        await scene.parked()
        monkeypatch.setattr(Placed, "where", now)
        await scene.press("Approve")
        if cards > 1:
            await scene.until(lambda: len(scene.approvals) == cards or None)
            await scene.parked()
            await scene.application.parts.way_out.delivery.flushed()
            assert one.ran == []
            again = scene.approvals[-1]
            assert (again.preview.where, shown in again.preview.why) == (now, True)
            await scene.press("Approve")
        await scene.settled()
        assert ([one["what"] for one in one.ran], len(scene.approvals)) == (["x"], cards)


async def test_a_card_whose_turn_was_set_aside_is_shown_again_where_its_place_has_changed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    writes = writing()
    one = Placed(writes.spec, writes.act)
    monkeypatch.setattr(Placed, "where", "in the workspace, sandboxed, no network")
    scene = Stage(RuledModel(writes_once), [one], Limits())
    async with running(scene):
        await scene.say("go")
        await scene.parked()
        await scene.say("another thing")
        await scene.settled()
        monkeypatch.setattr(Placed, "where", BARE)
        await scene.press("Approve")
        await scene.until(lambda: len(scene.approvals) == 2 or None)
        await scene.application.parts.way_out.delivery.flushed()
        assert (one.ran, scene.approvals[-1].preview.where) == ([], BARE)
        await scene.press("Approve")
        await scene.until(lambda: one.ran or None)
        await scene.settled()
        assert ([one["what"] for one in one.ran], len(scene.approvals)) == (["x"], 2)


def writes_once(request: ModelRequest, _: int) -> ModelReply:
    return says("Done.") if results_in(request) else calls(call("w", "write", {"what": "x"}))


class Unwalled(ScenarioTool):
    """Runs commands where there is no sandbox."""

    async def preview(self, arguments: Mapping[str, Any], place: Place) -> Preview:
        seen = await ScenarioTool.preview(self, arguments, place)
        return replace(seen, effect=Effect.DANGER, unwalled="rm" not in str(arguments))


def planned(*steps: ToolCall) -> Callable[[ModelRequest, int], ModelReply]:
    """Plans these steps, and then carries them out one by one."""

    def answer(request: ModelRequest, number: int) -> ModelReply:
        done = sum(
            isinstance(p, ResultPart) and "Recorded" not in p.text
            for m in request.messages
            for p in m.parts
        )
        if "[Plan approved]" not in str(request.messages):
            return calls(*steps) if number == 1 else says("That is the plan.")
        return calls(steps[done]) if done < len(steps) else says("Done.")

    return answer


async def test_a_command_of_an_approved_plan_runs_without_a_sandbox_and_a_dangerous_one_asks() -> (
    None
):
    one = Unwalled(tool("run").spec, lambda _, __: ToolOutput("ran"))
    one = replace(one, spec=replace(one.spec, effect=Effect.WRITE, replay=Replay.ONCE))
    steps = (call("a", "run", {"what": "grep x"}), call("b", "run", {"what": "rm x"}))
    async with running(scene := Stage(RuledModel(planned(*steps)), [one], Limits())):
        await scene.say("/plan tidy up")
        await scene.settled()
        card = await scene.shows("📋")
        assert ("1. Do run grep x" in card, "2. ⚠️ Do run rm x" in card) == (True, True)
        await scene.press("Approve")
        await scene.parked()
        (again,) = scene.approvals
        assert (one.ran, again.preview.subject) == ([{"what": "grep x"}], "Do run rm x")


async def test_a_turn_that_repeats_a_message_names_that_message_on_its_card() -> None:
    def answer(request: ModelRequest, _: int) -> ModelReply:
        newest = str(request.messages[-1].parts)
        wants = "fix the tests" in newest and "repeat" not in newest
        return calls(call("w", "write", {"what": "x"})) if wants else says("A table.")

    scene = Stage(RuledModel(answer), [writing()], Limits())
    async with running(scene):
        await scene.say("fix the tests")
        await scene.press("Deny")
        await scene.settled()
        await scene.say("show me a table")
        await scene.settled(2)
        await scene.say("/undo")
        await scene.settled(3)
        await scene.say("/retry")
        await scene.until(lambda: len(scene.approvals) == 2 or None)
        assert [card.purpose for card in scene.approvals] == ["fix the tests"] * 2


RULED = st.sampled_from(["here", "there"])
VARIABLES = st.lists(st.sampled_from(["KEY", "TOKEN"]), unique=True).map(tuple)
SHOWN = st.builds(
    lambda where, names, state: Preview(
        "Run it",
        "Run it",
        Effect.WRITE,
        where=where,
        seen=state,
        surroundings=Surroundings(where, "s" if names else "", names),
    ),
    RULED,
    VARIABLES,
    st.sampled_from(["one", "two"]),
)


@given(SHOWN, SHOWN, st.sampled_from(["1", "2"]))
def test_a_kept_call_counts_only_for_what_was_shown(
    shown: Preview, now: Preview, what: str
) -> None:
    kept = Consent("run", ExactRule(RUN.canonical), shown.surroundings, shown)
    changed = (
        what != "1"
        or now.where != shown.where
        or now.seen != shown.seen
        or not set(now.surroundings.variables) <= set(shown.surroundings.variables)
    )
    wanted = call("r", "run", {"what": what})
    assert (difference(kept, wanted, now) is not None) == changed
    danger = replace(now, effect=Effect.DANGER)
    assert difference(kept, wanted, danger) is not None


async def test_an_approved_call_gets_no_secret_of_a_skill_that_came_into_use_beside_it() -> None:
    def answer(request: ModelRequest, _: int) -> ModelReply:
        if results_in(request):
            return says("Done.")
        return calls(RUN, call("u", "use_skill", {"name": "report"}))

    one = runs_commands()
    scene = Stage(RuledModel(answer), [one], Limits(), skills=FakeSkills(REPORT))
    async with running(scene):
        await scene.say("go")
        await scene.press("Approve")
        await scene.until(lambda: len(scene.approvals) == 2 or None)
        await scene.application.parts.way_out.delivery.flushed()
        again = scene.approvals[-1].preview
        assert (one.found, again.surroundings.skill) == ([], "report")
        await scene.press("Approve")
        await scene.settled()
        assert ([what for what, *_ in one.found], len(scene.approvals)) == (["1"], 2)
