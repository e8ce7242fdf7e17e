"""Errands as a companion of turns: of the turn that sends them out, and of the one on its way."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from weakref import WeakKeyDictionary

from bot.domain.assignments.errand import DELEGATE, Errand, ErrandState, asks_person
from bot.domain.change import AddArtifact, SaveErrand, SaveTurn, Show, Write
from bot.domain.clock.zones import Zones, moment
from bot.domain.loop.contribution import Aside, Ended, Share, Stance
from bot.domain.loop.verdict import LoopState
from bot.domain.plans.plan import Plan
from bot.domain.talk.errors import InvalidArguments
from bot.domain.talk.limits import Limits
from bot.domain.talk.message import Outbound, OutboundKind
from bot.domain.text.visible_text import clipped
from bot.domain.tools.tool import Code, Effect, ToolCall, ToolResult
from bot.domain.turn.outcome import StopReason
from bot.domain.turn.progress import OpenCall
from bot.domain.turn.step import Elsewhere, Entrusted, Finish, Gate, Refuse, SendOut
from bot.domain.turn.transcript import ReplyBody
from bot.domain.turn.turn import Turn, TurnState
from bot.domain.value import frozen
from bot.flow.errands import wording
from bot.flow.errands.recalling import called_back
from bot.flow.errands.sending import Sending, late_turn
from bot.flow.errands.wishes import Wishes
from bot.flow.log.companion import Companion
from bot.flow.log.concern import of_errands
from bot.flow.log.request_view import foreign_to, lent_by
from bot.flow.log.work import Work
from bot.flow.models.choosing import Choosing
from bot.ports.journal import Agenda
from bot.ports.tool import Tool
from bot.ports.turns import TurnRows

_Answered = list[tuple[ToolCall, ToolResult]]


@dataclass(slots=True)
class _Kept:
    """The memory about one turn, for as long as its `Work` lives."""

    own: Errand | None = None
    """The errand that the turn works on, as last written."""
    sent: dict[str, Errand] = field(default_factory=dict[str, Errand])
    """The errands that it sent out and whose results it has not taken, by their calls."""
    plan: Plan | None = None
    """The plan that the turn collects or executes."""


@frozen
class ErrandCompanion:
    """Sends errands out, takes their results, and bounds the turns that work on them."""

    _sending: Sending
    _wishes: Wishes
    _choosing: Choosing
    _rows: TurnRows
    _zones: Zones
    _limits: Limits
    _explore: bool
    _turns: WeakKeyDictionary[Work, _Kept] = field(default_factory=WeakKeyDictionary, init=False)

    @property
    def answers(self) -> Companion:
        return Companion(
            of_errands,
            carries=SendOut,
            taken_up=self.taken_up,
            state=self.state,
            stance=self.stance,
            carry_out=self.carry_out,
            after_results=self.after_results,
            closes=self.closes,
            parked=self.parked,
            ended=self.ended,
            set_aside=self.set_aside,
        )

    async def taken_up(self, work: Work, row: Turn, agenda: Agenda) -> Share:
        turn = work.turn
        own = next((one for one in agenda.errands if one.id == turn.id), None)
        sent = {one.call: one for one in agenda.sent_by(turn.id)}
        kept = self._turns[work] = _Kept(own, sent, work.plan)
        if own is not None:
            return self._at_work(work, kept, own, row)
        # By its end: an older version gave turns after a run the same beginning as all others.
        late = next((one for one in agenda.errands if turn.id.endswith(f"-{one.id}")), None)
        if late is None or turn.state is not TurnState.QUEUED:
            return Share(row)
        return self._brought(late, row)

    def _of(self, work: Work) -> _Kept:
        if work not in self._turns:
            self._turns[work] = _Kept(plan=work.plan)
        return self._turns[work]

    def _at_work(self, work: Work, kept: _Kept, own: Errand, row: Turn) -> Share:
        """Gives its task to a turn that begins; one that waited for a person works again."""
        if work.turn.state is TurnState.QUEUED:
            at = moment(work.clock.now(), self._zones.of(work.asker, work.log.chat))
            mandate = work.turn.mandate
            words = (wording.brief(mandate), wording.asked(own, at, mandate))
            return Share(row, words, purpose=own.title)
        if own.state is not ErrandState.WAITING:
            return Share(row)
        kept.own = own.amended(state=ErrandState.WORKING)
        return Share(row, writes=(SaveErrand(kept.own, own.version),))

    def _brought(self, errand: Errand, row: Turn) -> Share:
        """Opens the turn that tells a result after the end of the turn that waited for it."""
        taken, result = SaveErrand(errand.amended(taken=True), errand.version), errand.result
        if result is None:
            return Share(row, writes=(taken,), purpose=errand.title)
        text, also = result.text, list[Write]((taken,))
        if len(text.encode()) > self._limits.result_bytes:
            name = f"{row.id}-0"
            also.append(AddArtifact(name, row.chat, text, row.id))
            begun = clipped(text, self._limits.result_bytes // 4)
            text = f"{begun}\n[… read_file artifact:{name} has the whole …]"
        if result.files:
            content = Outbound(OutboundKind.NOTICE, (), files=result.files)
            also.append(Show(f"send:{row.id}:files:0", row.chat, content, about=row.id))
        return Share(row, (wording.late(errand, result, text),), tuple(also), errand.title)

    async def state(self, work: Work, state: LoopState) -> LoopState:
        if self._of(work).own is not None:
            most = self._limits.errand_rounds
            rest = state.limits.max_rounds - state.limits.soft_rounds
            limits = replace(state.limits, soft_rounds=most, max_rounds=most + rest)
            state = replace(state, limits=limits)
        money = work.turn.mandate.money
        if money is None or self._can_pay(work, money):
            return state
        ending = Finish(StopReason.BUDGET, "the budget of its task is used up")
        return replace(state, ending=ending)

    def _can_pay(self, work: Work, budget: int) -> bool:
        """Returns False once the replies have cost so much, or one of them had no price.

        A last reply that needs no further call is paid for already.
        """
        bodies = [entry.body for entry in work.log.entries(work.turn.id)]
        replies = [body for body in bodies if isinstance(body, ReplyBody)]
        if not replies or (not replies[-1].calls and replies[-1].text):
            return True
        costs = [self._choosing.cost(reply) for reply in replies]
        return sum(cost or 0 for cost in costs) < budget and None not in costs

    def stance(self, work: Work, call: OpenCall, tools: Mapping[str, Tool]) -> Stance | None:
        kept, wanted = self._of(work), call.call
        if kept.own is not None and wanted.name == "send_message":
            return None if asks_person(wanted.name, wanted.arguments) else wording.ALONE
        if wanted.name != DELEGATE:
            return None
        if kept.own is not None:
            return wording.NO_DEPTH
        sent = kept.sent.get(wanted.id)
        if sent is not None:
            return None if sent.done else Elsewhere(begun=True)
        if kept.plan is not None and not self._explores(kept):
            return wording.IN_PLAN
        tools = _given(kept, tools)
        if not _well_formed(wanted, tools):
            return None  # the gate refuses it
        if not self._has_room(work, wanted):
            return wording.too_many(self._limits.errands)
        return self._wishes.refusal(work, wanted, tools) or Elsewhere(begun=False)

    def _explores(self, kept: _Kept) -> bool:
        """Returns True while reads run for a plan that is being collected."""
        return self._explore and kept.plan is not None and kept.plan.collecting

    def _has_room(self, work: Work, call: ToolCall) -> bool:
        before = [c.call for c in work.progress.open_calls if c.call.name == DELEGATE]
        ahead = before.index(call) if call in before else len(before)
        return len(_answered(work)) + ahead < self._limits.errands

    async def carry_out(
        self, work: Work, step: Entrusted, gates: Mapping[str, Gate], tools: Mapping[str, Tool]
    ) -> str:
        """Sends errands out, in one transaction."""
        assert isinstance(step, SendOut)
        writes: list[Write] = []
        sent: dict[str, Errand] = {}
        for call in step.calls:
            errand, made = await self._sending.sent(work, call, _given(self._of(work), tools))
            sent[call.id] = errand
            writes.extend(made)
        kept = self._of(work)
        under_way = (*kept.sent.values(), *sent.values())
        await work.write(also=(*writes, _line(work, _answered(work), under_way)))
        kept.sent.update(sent)
        return ""

    async def after_results(
        self, work: Work, row: Turn, ran: Sequence[tuple[ToolCall, ToolResult]]
    ) -> Share:
        """Takes the results; an errand whose call was closed without one is called back."""
        kept = self._of(work)
        over = {call.id: kept.sent[call.id] for call, _ in ran if call.id in kept.sent}
        if not over:
            return Share(row)
        left = {call: one for call, one in kept.sent.items() if call not in over}
        answered = [*_answered(work), *(pair for pair in ran if pair[0].id in over)]
        writes = called_back(over.values(), "the turn goes on without it")
        kept.sent = left
        return Share(row, writes=(*writes, _line(work, answered, left.values())))

    def closes(self, work: Work, code: Code) -> Mapping[str, Refuse]:
        return dict.fromkeys(self._of(work).sent, wording.closed(code))

    async def parked(self, work: Work) -> Sequence[Write]:
        kept = self._of(work)
        if kept.own is None:
            return ()
        before = kept.own
        kept.own = before.amended(state=ErrandState.WAITING)
        return (SaveErrand(kept.own, before.version),)

    async def ended(
        self, work: Work, finish: Finish, closed: Sequence[tuple[ToolCall, ToolResult]]
    ) -> Ended:
        kept = self._of(work)
        if kept.own is not None:
            return Ended(await self._handed_in(work, kept.own, finish), silent=True)
        if not kept.sent:
            return Ended()
        how = f"the turn that waited for it ended: {finish.stop_reason.value}"
        stopped = _line(work, _answered(work), kept.sent.values(), end="⏹")
        return Ended((*called_back(kept.sent.values(), how), stopped))

    async def _handed_in(self, work: Work, own: Errand, finish: Finish) -> tuple[Write, ...]:
        """Writes the result; once the parent has ended, a turn is queued that brings it."""
        asker, log = work.turn.asker, work.log.entries()
        foreign = foreign_to(asker, log), lent_by(asker, log)
        done = own.amended(
            state=ErrandState.DONE,
            result=wording.result_of(work.progress, finish, *foreign),
            ended_at=work.clock.now(),
        )
        brings: tuple[Write, ...] = ()
        if own.set_aside and not own.recalled and (parent := await self._rows.get(own.parent)):
            brings = (SaveTurn(late_turn(own, parent, work.clock.now())),)
        return (SaveErrand(done, own.version), *brings)

    async def set_aside(self, work: Work) -> Aside:
        sent = self._of(work).sent
        if not sent:
            return Aside()
        writes = [SaveErrand(one.amended(set_aside=True), one.version) for one in sent.values()]
        told = _line(work, _answered(work), sent.values(), end="⏸")
        return Aside((*writes, told))


def _given(kept: _Kept, tools: Mapping[str, Tool]) -> Mapping[str, Tool]:
    """Returns the tools to choose from: for a plan that is being collected, those that read."""
    if kept.plan is None:
        return tools
    return {n: t for n, t in tools.items() if n == DELEGATE or t.spec.effect is Effect.READ}


def _well_formed(call: ToolCall, tools: Mapping[str, Tool]) -> bool:
    tool = tools.get(call.name)
    if tool is None or call.arguments is None:
        return False
    try:
        tool.check(call.arguments)
    except InvalidArguments:
        return False
    return True


def _answered(work: Work) -> _Answered:
    """Returns the errands of a turn that have a result, with the calls that sent them out."""
    done = work.progress.done
    return [(d.call, d.result) for d in done if d.call.name == DELEGATE and not d.result.synthetic]


def _line(work: Work, answered: _Answered, under_way: Iterable[Errand], end: str = "") -> Show:
    return wording.line(work.turn.id, work.turn.chat, answered, tuple(under_way), end)
