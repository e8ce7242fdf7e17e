"""A companion from outside goes along with turns, and no file of the turn knows it."""

import asyncio
import gc
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from weakref import ReferenceType, ref

from bot.domain.loop.contribution import Ended, Share, Stance
from bot.domain.loop.verdict import LoopState
from bot.domain.plans.plan import PlanState
from bot.domain.talk.message import Address, InboundMessage, RawUpdate
from bot.domain.tools.tool import Code, Status, ToolCall, ToolResult
from bot.domain.turn.outcome import StopReason
from bot.domain.turn.progress import OpenCall
from bot.domain.turn.step import Finish, Refuse
from bot.domain.turn.turn import Turn
from bot.flow.log.companion import Companion
from bot.flow.log.work import Work
from bot.ports.journal import Agenda
from bot.ports.tool import Tool
from tests.fakes.model import call, calls, says
from tests.scenarios.stage import ANN, Stage, stage
from tests.scenarios.tools import looking, submitting, writing

MOST = 3


@dataclass
class Rounds:
    """Ends a turn that wants a fourth round, and says so."""

    ended_turns: list[str] = field(default_factory=list[str])

    @property
    def answers(self) -> Companion:
        return Companion(state=self.state, ended=self.ended)

    async def state(self, work: Work, state: LoopState) -> LoopState:
        progress = state.progress
        unanswered = progress.reply is not None and bool(progress.reply.calls)
        if progress.turn.rounds < MOST or not unanswered or progress.open_calls:
            return state
        return replace(state, ending=Finish(StopReason.BUDGET, f"{MOST} rounds are used up"))

    async def ended(
        self, work: Work, finish: Finish, closed: Sequence[tuple[ToolCall, ToolResult]]
    ) -> Ended:
        self.ended_turns.append(work.turn.id)
        if finish.stop_reason is not StopReason.BUDGET:
            return Ended()
        return Ended(instead=f"I stopped: a turn has {MOST} rounds here.", also="Say “go on”.")


class Impatient:
    """Ends a turn as soon as its first round has made calls."""

    @property
    def answers(self) -> Companion:
        return Companion(state=self.state)

    async def state(self, work: Work, state: LoopState) -> LoopState:
        ending = Finish(StopReason.BUDGET, "one round is enough", Code.LIMIT)
        return replace(state, ending=ending) if work.turn.rounds else state


async def test_a_companion_ends_a_turn_at_its_third_round_with_a_truthful_stop() -> None:
    look, rounds = looking(), Rounds()
    script = [calls(call(f"c{n}", "look", {"what": str(n)})) for n in range(MOST)]
    async with stage(*script, tools=[look], companions=[rounds.answers]) as scene:
        await scene.say("look everywhere")
        turn = await scene.settled()
        assert (turn.stop_reason, turn.rounds) == (StopReason.BUDGET, MOST)
        assert len(look.ran) == MOST
        assert all(r.status is Status.SUCCESS for r in scene.results)
        assert scene.texts[-1] == "I stopped: a turn has 3 rounds here.\n\nSay “go on”."
        assert rounds.ended_turns == [turn.id]
        scene.assert_whole()


async def test_a_companion_that_counts_rounds_leaves_an_answer_in_time_alone() -> None:
    script = (calls(call("a", "look")), calls(call("b", "look", {"what": "b"})), says("Seen."))
    async with stage(*script, tools=[looking()], companions=[Rounds().answers]) as scene:
        await scene.say("look twice")
        turn = await scene.settled()
        assert (turn.stop_reason, turn.rounds) == (StopReason.FINAL_ANSWER, MOST)
        assert scene.texts[-1] == "Seen."
        scene.assert_whole()


async def test_calls_still_open_when_a_companion_ends_the_turn_are_closed_and_do_not_run() -> None:
    write = writing()
    script = calls(call("a", "write", {"what": "x"}))
    async with stage(script, tools=[write], companions=[Impatient().answers]) as scene:
        await scene.say("write it")
        turn = await scene.settled()
        (closed,) = scene.results
        assert (closed.status, closed.code, closed.synthetic) == (Status.SKIPPED, Code.LIMIT, True)
        assert (turn.stop_reason, write.ran, scene.approvals) == (StopReason.BUDGET, [], [])
        scene.assert_whole()


async def test_a_companion_that_ends_a_turn_leaves_a_plan_waiting_to_be_resumed() -> None:
    write = writing()
    wanted = [call(f"p{n}", "write", {"what": str(n)}) for n in range(4)]
    script = (
        calls(*wanted, call("s", "submit_plan", {"title": "Four", "summary": "All four."})),
        *(calls(replace(one, id=f"e{n}")) for n, one in enumerate(wanted[:MOST])),
        calls(replace(wanted[3], id="f")),
        says("All four are there."),
    )
    async with stage(*script, tools=[write, submitting()], companions=[Rounds().answers]) as scene:
        await scene.say("/plan write four times")
        await scene.settled(1)
        await scene.press("Approve")
        stopped = await scene.settled(2)
        assert stopped.stop_reason is StopReason.BUDGET
        (plan,) = scene.store.rows.plans.values()
        assert (plan.state, len(plan.open_steps)) == (PlanState.EXECUTING, 1)
        await scene.press("Resume")
        assert _executes(await scene.settled(3))
        assert [a["what"] for a in write.ran] == ["0", "1", "2", "3"]
        (plan,) = scene.store.rows.plans.values()
        assert plan.state is PlanState.DONE
        scene.assert_whole()


@dataclass
class Watching:
    """Knows every sitting of a turn without keeping one."""

    sittings: list[ReferenceType[Work]] = field(default_factory=list[ReferenceType[Work]])

    @property
    def answers(self) -> Companion:
        return Companion(state=self.state)

    async def state(self, work: Work, state: LoopState) -> LoopState:
        if all(known() is not work for known in self.sittings):
            self.sittings.append(ref(work))
        return state

    def sees_nothing(self) -> bool:
        gc.collect()
        return all(known() is None for known in self.sittings)


class Refusing:
    """Refuses every call."""

    @property
    def answers(self) -> Companion:
        return Companion(stance=self.stance)

    def stance(self, work: Work, call: OpenCall, tools: Mapping[str, Tool]) -> Stance | None:
        return Refuse(Status.BLOCKED, Code.POLICY, "Not today.")


async def test_what_companions_keep_of_a_turn_goes_with_each_of_its_sittings() -> None:
    watching = Watching()
    script = (calls(call("a", "write", {"what": "x"})), says("Written."))
    async with stage(*script, tools=[writing()], companions=[watching.answers]) as scene:
        await scene.say("write it")
        await scene.parked()
        await scene.press("Approve")
        await scene.settled()
        assert len(watching.sittings) == 2
        await scene.until(watching.sees_nothing)


async def test_the_refusal_of_a_companion_counts_before_what_a_plan_says_of_a_call() -> None:
    write = writing()
    script = (calls(call("a", "write", {"what": "x"})), says("I cannot."))
    async with stage(
        *script, tools=[write, submitting()], companions=[Refusing().answers]
    ) as scene:
        await scene.say("/plan write it")
        await scene.settled()
        (refused,) = scene.results
        assert (refused.status, refused.code, refused.text) == (
            Status.BLOCKED,
            Code.POLICY,
            "Not today.",
        )
        scene.assert_whole()


@dataclass
class Crowd:
    """Counts how many turns are opened side by side; each takes its time."""

    now: int = 0
    most: int = 0

    @property
    def answers(self) -> Companion:
        return Companion(opening=self.opening)

    async def opening(self, work: Work, row: Turn, agenda: Agenda) -> Share:
        self.now += 1
        self.most = max(self.most, self.now)
        for _ in range(200):
            await asyncio.sleep(0)
        self.now -= 1
        return Share(row)


async def test_a_crowd_opens_its_turns_a_few_at_a_time() -> None:
    crowd, chats = Crowd(), 30
    async with stage(*(says("Here.") for _ in range(chats)), companions=[crowd.answers]) as scene:
        await scene.application.parts.intake.accept(
            "fake", [_asking(scene, n) for n in range(chats)]
        )
        await scene.settled(chats)
        assert 1 < crowd.most < chats / 2
        scene.assert_whole()


def _asking(scene: Stage, number: int) -> RawUpdate:
    at, now = Address("fake", f"9{number}"), scene.clock.now()
    return scene.channel.update(InboundMessage(at, ANN, f"c{number}", "Are you there?", now))


def _executes(turn: Turn) -> bool:
    return (turn.origin, turn.stop_reason) == ("plan", StopReason.FINAL_ANSWER)
