"""Turns driven from their opening to their end, with models, people and crashes at random."""

from collections import Counter
from dataclasses import replace
from random import Random
from typing import assert_never

from hypothesis import given
from hypothesis import strategies as st

from bot.domain.consent.approval import Approval, ApprovalState
from bot.domain.loop.verdict import LoopState, decide
from bot.domain.money.model import FinishReason
from bot.domain.plans.plan import Plan
from bot.domain.skills.skill import Following
from bot.domain.talk.limits import Limits
from bot.domain.tools.tool import Code, Effect, Status, ToolCall, ToolResult
from bot.domain.turn.outcome import StopReason
from bot.domain.turn.progress import Progress, fold
from bot.domain.turn.step import (
    Ask,
    AskFirst,
    CallModel,
    Compact,
    Finish,
    Gate,
    Park,
    RecordPlanned,
    Refuse,
    Run,
    RunTools,
    SendOut,
    TransitionSkill,
    WrapUp,
)
from bot.domain.turn.transcript import (
    AskerBody,
    CutBody,
    IntentBody,
    LateResultBody,
    NoteBody,
    ReplyBody,
    ResultBody,
    SkillBody,
    TextPart,
)
from bot.domain.turn.turn import Turn
from bot.flow.log.closing import close
from tests.domain.logs import OWN, Scribe, call, card, preview, reply, result, turn
from tests.domain.plans import a_plan, a_step

FOLLOWING = (Following("a"), Following("b"), Following("c"), Following("x", "it is not there"))
LIMITS = Limits(pipeline_depth=2, soft_rounds=4, max_rounds=6, calls_per_round=3, calls_per_turn=9)
TOOLS = ("read", "write", "ruled", "danger", "unknown")
CRASH, STOP, DEAF = 0.1, 0.02, 0.05


class World:
    """Everything around the verdict, as rows: the log, the turn's row, the cards."""

    def __init__(
        self, chance: Random, late: Approval | None = None, plan: Plan | None = None
    ) -> None:
        self.chance = chance
        self.late = late
        self.plan = plan
        self.scribe = Scribe()
        self.row: Turn = turn(approval=late.id if late else None, attempts=1)
        self.cards: tuple[Approval, ...] = (late,) if late else ()
        self.ran: Counter[str] = Counter()
        self.made = 0
        self.packed = False
        if late is None:
            self.scribe.write(AskerBody("Go", "Ann"))

    @property
    def progress(self) -> Progress:
        return fold(self.row, self.scribe.entries, self.cards)

    def drive(self, most: int = 400) -> Finish | None:
        """The ending, or None when nobody decides; fails when there is no end in sight."""
        for _ in range(most):
            if self.chance.random() < STOP:
                self.row = replace(self.row, stop_asked="Ann by /stop")
            ending = self.step()
            if ending is not None:
                return None if isinstance(ending, Park) else ending
        raise AssertionError(f"no end after {most} steps")

    def step(self) -> Finish | Park | None:
        progress = self.progress
        gates = {
            c.call.id: self.gate(c.call, progress) for c in progress.open_calls if not c.approval
        }
        fill, overflow = self.chance.choice([0.1, 0.1, 0.1, 0.95]), self.chance.random() < DEAF
        following = self.chance.choice([None, *FOLLOWING])
        state = LoopState(
            *(progress, LIMITS, gates, fill, overflow),
            packed=self.packed,
            plan=self.plan,
            following=following,
        )
        match decide(state):
            case CallModel() | WrapUp() as step:
                self.answer(wrap_up=isinstance(step, WrapUp))
            case RunTools() as step:
                self.run_tools(step, gates)
            case RecordPlanned() as step:
                self.plan_them(step.calls)
            case Ask() as step:
                self.cards += tuple(self.asked(c, gates[c.id]) for c in step.calls)
            case Compact():
                self.compact()
            case TransitionSkill(next=taken):
                self.hand_over(taken)
            case Park() as step:
                return None if self.someone_decides() else step
            case Finish() as step:
                return step
            case SendOut():
                raise AssertionError("no gate here leaves a call to an errand")
            case never:
                assert_never(never)
        return None

    def stages(self) -> list[list[ReplyBody]]:
        """The replies of each stage of the turn."""
        stages: list[list[ReplyBody]] = [[]]
        for entry in self.scribe.entries:
            match entry.body:
                case ReplyBody() as said:
                    stages[-1].append(said)
                case SkillBody():
                    stages.append([])
                case _:
                    pass
        return stages

    def hand_over(self, to: str) -> None:
        before = self.row.skill or ""
        assert to not in {before, *(kept.by for kept in self.progress.kept)}
        self.row = replace(self.row, skill=to, stages=self.row.stages + 1)
        assert self.row.stages <= LIMITS.pipeline_depth
        self.scribe.write(SkillBody(to, f"Do {to}.", after=before))

    def gate(self, of: ToolCall, progress: Progress) -> Gate:
        if of.name == "unknown":
            return Refuse(Status.INVALID, Code.UNKNOWN_TOOL, "There is no such tool.")
        if progress.repeats(of) >= 2 + progress.repeats_granted(of, LIMITS.repeat_grant):
            effect = Effect.READ if of.name == "read" else Effect.WRITE
            return AskFirst(preview(of, effect), repeat=True)
        if of.name in ("write", "danger"):
            return AskFirst(preview(of, Effect(of.name)))
        return Run(Effect.READ if of.name == "read" else Effect.WRITE)

    def plan_them(self, calls: tuple[ToolCall, ...]) -> None:
        assert self.plan is not None
        if self.crashes():
            return
        steps = [a_step(len(self.plan.steps) + n, c) for n, c in enumerate(calls, start=1)]
        self.plan = self.plan.with_steps(steps)
        for each in calls:
            self.record(replace(result(each, Status.PLANNED, "recorded"), synthetic=True))

    def asked(self, of: ToolCall, gate: Gate) -> Approval:
        assert isinstance(gate, AskFirst)
        return card(of, kind="repeat" if gate.repeat else "call", preview=gate.preview)

    def answer(self, *, wrap_up: bool) -> None:
        if self.crashes():
            return
        self.packed = False
        if wrap_up:
            self.scribe.write(NoteBody("wrap_up", "Answer now."))
        wished = [self.wish() for _ in range(self.chance.choice([0, 1, 1, 2, 4]))]
        words = [TextPart(self.chance.choice(["Well.", " "]))] if self.chance.random() < 0.5 else []
        finish = self.chance.choice([*[FinishReason.CALLS] * 5, *FinishReason])
        said = ReplyBody((*words, *reply(*wished).parts), finish, OWN, wrap_up=wrap_up)
        self.scribe.write(said)
        self.saved(rounds=self.row.rounds + 1, calls=self.row.calls + len(wished))

    def wish(self) -> ToolCall:
        self.made += 1
        return call(self.chance.choice(TOOLS), f"call_{self.made}", n=self.chance.randrange(2))

    def run_tools(self, step: RunTools, gates: dict[str, Gate]) -> None:
        for each, refusal in step.close:
            done = ToolResult(each.id, each.name, refusal.status, refusal.text, refusal.code)
            self.record(replace(done, synthetic=True))
        changing = [c for c in step.run if c.name != "read"]
        self.scribe.write(*(IntentBody(c.id) for c in changing))
        self.ran.update(c.id for c in step.run)
        if self.crashes():
            return
        for each in step.run:
            failed = self.chance.random() < 0.3
            self.record(result(each, Status.FAILED if failed else Status.SUCCESS, "so it went"))

    def record(self, done: ToolResult) -> None:
        if self.late is not None and done.call_id == self.late.call.id:
            told = LateResultBody(self.late.id, done.tool, "", "approved", done.text, done)
            self.scribe.write(told)
        else:
            self.scribe.write(ResultBody(done))
        self.saved()

    def compact(self) -> None:
        long = [e.seq for e in self.scribe.entries if isinstance(e.body, ResultBody)]
        cut = tuple(long[: self.chance.randrange(2)])
        # As in the loop: nothing that could be cut stays so until the next reply.
        self.packed = not cut
        if cut:
            self.scribe.write(CutBody(cut, 2_000))
        self.saved()

    def someone_decides(self) -> bool:
        open_cards = [c for c in self.cards if c.state is ApprovalState.OPEN]
        chosen = self.chance.choice(open_cards)
        found = self.chance.choice([ApprovalState.APPROVED] * 4 + list(ApprovalState))
        decided = replace(chosen, state=found)
        self.cards = tuple(decided if c is chosen else c for c in self.cards)
        return found is not ApprovalState.OPEN

    def crashes(self) -> bool:
        """The process dies here: the next one takes the turn up again."""
        return self.chance.random() < CRASH

    def saved(self, **counts: int) -> None:
        self.row = replace(self.row, attempts=0, **counts)

    def settle(self, reason: Code) -> None:
        left = self.progress.open_calls
        begun = [c.call.id for c in left if c.begun]
        for done in close((c.call for c in left), reason, begun):
            self.record(done)

    def results(self) -> list[ToolResult]:
        bodies = [e.body for e in self.scribe.entries]
        return [
            b.result
            for b in bodies
            if isinstance(b, ResultBody | LateResultBody) and b.result is not None
        ]


chances = st.integers(0, 2**32).map(Random)
late_cards = st.none() | st.sampled_from(
    [card(call("write", "late", n=7), state, turn="t0", set_aside=True) for state in ApprovalState]
)


@given(chances, late_cards)
def test_every_turn_ends_or_parks_with_one_result_for_each_call(
    chance: Random, late: Approval | None
) -> None:
    world = World(chance, late)
    ending = world.drive()
    world.settle(ending.code if ending is not None else Code.AWAITING_DECISION)
    calls = [
        c.id for e in world.scribe.entries if isinstance(e.body, ReplyBody) for c in e.body.calls
    ]
    answered = [r.call_id for r in world.results()]
    assert sorted(answered) == sorted([*calls, *([late.call.id] if late else [])])
    assert world.progress.open_calls == ()


@given(chances, late_cards)
def test_no_change_runs_twice_or_without_consent(chance: Random, late: Approval | None) -> None:
    world = World(chance, late)
    world.drive()
    allowed = {c.call.id for c in world.cards if c.state is ApprovalState.APPROVED}
    every = {
        c.id: c for e in world.scribe.entries if isinstance(e.body, ReplyBody) for c in e.body.calls
    }
    every |= {late.call.id: late.call} if late else {}
    for id, times in world.ran.items():
        assert times == 1 or every[id].name == "read"
        assert id in allowed or every[id].name in ("read", "ruled")
        assert every[id].name != "unknown"


@given(chances)
def test_no_turn_goes_beyond_its_bounds(chance: Random) -> None:
    world = World(chance)
    world.drive()
    replies = [e.body for e in world.scribe.entries if isinstance(e.body, ReplyBody)]
    assert len(replies) <= LIMITS.max_rounds
    for stage in world.stages():
        assert all(r.wrap_up for r in stage[LIMITS.soft_rounds :])
    assert sum(r.wrap_up for r in replies) <= 1 + LIMITS.empty_retries + LIMITS.pauses
    for said in replies:
        assert len([c for c in said.calls if world.ran[c.id]]) <= LIMITS.calls_per_round
        assert not said.wrap_up or not any(world.ran[c.id] for c in said.calls)
    assert len(world.ran) <= LIMITS.calls_per_turn


@given(chances)
def test_changes_run_in_call_order(chance: Random) -> None:
    world = World(chance)
    world.drive()
    order = [e.body.call_id for e in world.scribe.entries if isinstance(e.body, IntentBody)]
    assert order == sorted(order, key=lambda id: int(id.partition("_")[2]))


@given(chances)
def test_while_a_plan_is_collected_nothing_changes_and_every_change_becomes_one_step(
    chance: Random,
) -> None:
    world = World(chance, plan=a_plan())
    ending = world.drive()
    assert world.plan is not None
    called = {
        c.id: c for e in world.scribe.entries if isinstance(e.body, ReplyBody) for c in e.body.calls
    }
    assert {called[id].name for id in world.ran} <= {"read"}
    planned = [r for r in world.results() if r.status is Status.PLANNED]
    assert len(planned) == len(world.plan.steps)
    assert all(c.kind == "repeat" for c in world.cards)
    if ending is not None and ending.stop_reason is StopReason.FINAL_ANSWER:
        raise AssertionError("a text that ends the collecting is no answer")
