"""Takes people's decisions about plans: approve, change, stop and resume, each exactly once."""

import secrets

from bot.domain.change import AddAudit, AskStop, Change, SavePlan, SaveTurn, Show, Write
from bot.domain.consent.assent import is_assent, is_question
from bot.domain.plans.plan import (
    Plan,
    PlanState,
    PlanStep,
    PlanVerb,
    StepState,
    changed_card,
    plan_for,
    plan_of_card,
)
from bot.domain.talk.errors import Conflict
from bot.domain.talk.message import Hint, Outbound, OutboundKind, Plain, Press, PressAnswer
from bot.domain.talk.person import Person
from bot.domain.talk.reach import Reach
from bot.domain.text.markdown import literal
from bot.domain.text.names import brief_name, plain_name
from bot.domain.turn.turn import TurnAsker
from bot.domain.value import frozen, replace
from bot.flow.commanding.asking_desk import asked_of
from bot.flow.commanding.desks import (
    NOT_APPROVER,
    NOT_OURS,
    NOT_YOURS,
    UNSHOWN,
    Desk,
    Taken,
    is_shown_whole,
    refused,
    spent,
)
from bot.flow.plans.cards import PLAN_BUTTONS, PlanButton, card, named, offered, replaced, shown
from bot.flow.plans.turn_end import plan_line
from bot.ports.chats import Chats
from bot.ports.clock import Clock
from bot.ports.journal import Journal
from bot.ports.lanes import Lanes
from bot.ports.outbox import Outbox
from bot.ports.plans import Plans

STALE = "This card is out of date: the plan has changed."
_HELD = (
    "{name} has a plan open here, and it belongs to this conversation. They or an owner end it "
    "with /plan cancel; then you can start afresh."
)
ELSEWHERE = "Change it in the chat where it was asked for."

_ENDED = ("the plan is done", "the plan has ended")
_HOW = {
    PlanState.APPROVED: "approved",
    PlanState.EXECUTING: "approved",
    PlanState.DONE: _ENDED[0],
    PlanState.PARTLY_DONE: _ENDED[1],
    PlanState.CANCELLED: "cancelled",
}
_LOOKS = 5
"""The most tries to handle a press whose plan changes at the same moment."""


@frozen
class PlanDesk(Desk[PlanButton]):
    """Takes decisions about plans from anywhere; it never runs a call.

    While a turn executes a plan, that turn owns the row; then the desk asks the turn to stop.
    """

    _journal: Journal
    _plans: Plans
    _chats: Chats
    _outbox: Outbox
    _lanes: Lanes
    _clock: Clock

    buttons = (PLAN_BUTTONS,)

    async def press(
        self, meant: PlanButton, press: Press, chat: int, person: Person | None
    ) -> PressAnswer:
        token, version, verb = meant.token, meant.version, meant.verb
        for _ in range(_LOOKS):
            plan = await self._plans.by_token(token)
            if plan is None or chat not in plan.chats:
                return refused(NOT_OURS)
            refusal = _refusal(plan, version, verb, person)
            if refusal is not None or person is None:
                return refusal or refused(NOT_YOURS)
            if verb is PlanVerb.CHANGE:
                return await self._ask_for_change(plan, press, chat, person)
            try:
                return await self._carry_out(plan, verb, person, press, chat)
            except Conflict:
                continue
        return spent()

    async def _carry_out(
        self, plan: Plan, verb: PlanVerb, person: Person, press: Press, chat: int
    ) -> PressAnswer:
        match verb:
            case PlanVerb.APPROVE:
                return await self._approve(plan, person, press, chat)
            case PlanVerb.CANCEL | PlanVerb.STOP:
                return PressAnswer(await self.stop(plan, person))
            case PlanVerb.RETRY:
                return await self._decide_failed(plan, person, StepState.OPEN)
            case PlanVerb.SKIP:
                return await self._decide_failed(plan, person, StepState.SKIPPED)
            case PlanVerb.RESUME:
                return await self.resume(plan, person)
            case PlanVerb.CHANGE:
                return refused(NOT_OURS)

    async def _ask_for_change(
        self, plan: Plan, press: Press, chat: int, person: Person
    ) -> PressAnswer:
        """Asks for the words; the plan stays as it is until they come as a reply."""
        if chat != plan.chat:
            return refused(ELSEWHERE)
        asked = Plain(asked_of(press, person, f"{Hint.DIFFERENT} ({named(plan)})"))
        content = Outbound(OutboundKind.NOTICE, (asked,), asks=Hint.DIFFERENT)
        shown_now = Show(plan.change_key(chat, press.handle), chat, content, about=plan.id)
        await self._journal.commit(Change((shown_now,), durable=True))
        return PressAnswer()

    async def reply(
        self, chat: int, key: str, text: str, person: Person, *, asked: bool = False
    ) -> Taken:
        """Takes a reply to a card that is open for a decision: it changes the plan.

        The text is also the next message of the chat. Assent changes nothing, and a question does
        only where the person was asked for the words.
        """
        changed = changed_card(key)
        of = changed or key
        id = plan_of_card(of)
        plan = await self._plans.get(id) if id is not None else None
        if plan is None or not text.strip() or not person.may_decide_for(plan.asker):
            return Taken.NO
        if plan.state is not PlanState.READY or plan.key_in(chat) != of or chat != plan.chat:
            return Taken.NO
        if is_question(text) and changed is None and not asked:
            return Taken.QUESTION
        if is_assent(text):
            return Taken.ASSENT
        await self._recollect(plan, person)
        return Taken.WISHED

    async def waits_for(self, chat: int, person: Person) -> int:
        return int(await self._waiting(chat, person) is not None)

    async def refuse(self, chat: int, person: Person) -> bool:
        plan = await self._waiting(chat, person)
        try:
            return plan is not None and bool(await self.stop(plan, person))
        except Conflict:
            return False

    async def _waiting(self, chat: int, person: Person) -> Plan | None:
        """Returns the plan that waits for the person, if nothing stands below its card."""
        plan = await self._plans.live(chat)
        if plan is None or not plan.ready or not person.may_decide_for(plan.asker):
            return None
        newest = await self._outbox.newest(chat)
        return plan if newest is not None and newest.key == plan.key_in(chat) else None

    async def card_key(self, meant: PlanButton, chat: int) -> str | None:
        """Returns the outbound key of the plan's card with this button in this chat."""
        plan = await self._plans.by_token(meant.token)
        return plan.key_in(chat) if plan is not None and chat in plan.chats else None

    async def _approve(self, plan: Plan, person: Person, press: Press, chat: int) -> PressAnswer:
        if not await is_shown_whole(card(plan, chat), plan.key_in(chat), press, self._outbox):
            return refused(UNSHOWN)
        start = await self._start(plan)
        approved = plan.in_state(PlanState.APPROVED, decider_name=person.name, turn=start.turn.id)
        await self._queue(self._queued(plan, approved, start, person), plan.chat)
        return PressAnswer("Approved.")

    async def resume(self, plan: Plan, person: Person) -> PressAnswer:
        """Continues a waiting plan; raises Conflict when its row has changed.

        Returns the private answer; it is empty where the end of the turn is told soon.
        """
        await self._queue(await self.resumed(plan, person), plan.chat)
        return PressAnswer("Going on.")

    async def resumed(self, plan: Plan, person: Person) -> tuple[Write, ...]:
        """Returns the writes that make a waiting plan go on."""
        start = await self._start(plan)
        return self._queued(plan, plan.amended(turn=start.turn.id), start, person)

    async def _decide_failed(self, plan: Plan, person: Person, state: StepState) -> PressAnswer:
        failed = plan.failed_step
        if failed is None:
            return spent()
        if state is StepState.SKIPPED:
            outcome = f"skipped; {failed.outcome}"
            decided = replace(failed, state=state, outcome=outcome)
        else:
            decided = replace(failed, state=state)
        start = await self._start(plan)
        moved = replace(plan.with_steps([decided]), turn=start.turn.id)
        await self._queue(self._queued(plan, moved, start, person, (decided,)), plan.chat)
        return PressAnswer("Skipped." if state is StepState.SKIPPED else "Trying again.")

    async def _start(self, plan: Plan) -> SaveTurn:
        """Returns the write of the queued turn that executes a plan."""
        chat, id = await self._chats.get(plan.chat), f"plan-{secrets.token_hex(8)}"
        asker = TurnAsker(chat.id, chat.conversation, plan.asker, plan.asker_name)
        return SaveTurn(asker.starts(id, self._clock.now(), plan.mandate, origin="plan"))

    def _queued(
        self,
        old: Plan,
        new: Plan,
        start: SaveTurn,
        person: Person,
        steps: tuple[PlanStep, ...] = (),
    ) -> tuple[Write, ...]:
        how = "approved" if old.state is PlanState.READY else "resumed"
        return (
            SavePlan(new, old.version, steps),
            start,
            *shown(new),
            self._decided(new, person, how),
        )

    async def _queue(self, writes: tuple[Write, ...], chat: int) -> None:
        await self._journal.commit(Change(writes, durable=True))
        self._lanes.wake(chat)

    async def _recollect(self, plan: Plan, person: Person) -> None:
        again = plan.recollected(person.id, self._clock.now())
        line = self._decided(plan, person, "changed")
        writes = (SavePlan(again, plan.version), *replaced(plan), line)
        await self._journal.commit(Change(writes, durable=True))

    async def stop(self, plan: Plan, person: Person) -> str:
        """Ends a plan, through its turn if it has one; raises Conflict when its row has changed."""
        if plan.turn is not None:
            ask = AskStop(plan.turn, f"the plan's Stop, by {plain_name(person.name)}")
            await self._journal.commit(Change((ask,), durable=True))
            self._lanes.interrupt(plan.chat)
            now = await self._plans.get(plan.id)
            if now is not None and now.live and now.turn != plan.turn:
                raise Conflict("the turn had ended before it could be stopped")
            return ""
        writes = self.ended(plan, person)
        await self._journal.commit(Change(writes, durable=True))
        return "Cancelled." if plan.state is not PlanState.EXECUTING else "Stopped."

    async def stops(self, plan: Plan, how: str) -> tuple[Write, ...]:
        """Returns the writes that stop the turns that collect this plan."""
        agenda = await self._journal.agenda(plan.chat)
        turns = [t for t in agenda.unfinished if plan.collecting and plan_for(t, plan) is not None]
        return tuple(AskStop(turn.id, how) for turn in turns)

    def ended(self, plan: Plan, person: Person | None) -> tuple[Write, ...]:
        """Returns the writes that end a plan without a running turn."""
        name, number = (person.name, person.id) if person is not None else ("", None)
        over = replace(plan.ended(self._clock.now()), decider_name=name)
        cards = () if plan.collecting else shown(over)
        return (SavePlan(over, plan.version), *cards, plan_line(over, number, self._clock.now()))

    def holds(self, plan: Plan | None, person: Person) -> str:
        """Returns why a person cannot leave the conversation of a plan; empty when they can."""
        if plan is None or person.may_decide_for(plan.asker):
            return ""
        return _HELD.format(name=literal(brief_name(plan.asker_name)))

    def left(self, plan: Plan | None, person: Person | None) -> tuple[Write, ...]:
        """Returns the writes that end the live plan at a fresh start, or when the bot was removed.

        After a removal there is no person. A plan that a turn executes ends with that turn.
        """
        if plan is None or plan.turn is not None:
            return ()
        if person is not None and not person.may_decide_for(plan.asker):
            return ()
        return self.ended(plan, person)

    def _decided(self, plan: Plan, person: Person, how: str) -> AddAudit:
        details = {"plan": plan.id, "revision": plan.revision, "turn": plan.turn or ""}
        now = self._clock.now()
        return AddAudit(now, plan.chat, person.id, f"plan.{how}", plan.title or "plan", details)


def _late(plan: Plan) -> PressAnswer:
    """Returns the answer to a button that the card no longer has."""
    how = _HOW.get(plan.state, "")
    by = "" if how in _ENDED or not plan.decider_name else plain_name(plan.decider_name)
    return spent(how, by)


def _refusal(plan: Plan, version: int, verb: PlanVerb, person: Person | None) -> PressAnswer | None:
    """Returns the reason why a press does nothing; None when it does something."""
    if person is None or not person.may_decide_for(plan.asker):
        return refused(NOT_YOURS)
    stops = verb is PlanVerb.STOP and plan.executing
    if verb not in offered(plan) and not stops:
        return refused(STALE) if plan.collecting else _late(plan)
    # The Stop button stays good while steps go on; other buttons need the card's exact version.
    if verb is not PlanVerb.STOP and version != plan.version:
        return refused(STALE)
    needed = _needed(plan, verb)
    if needed is not None and not person.may_approve(plan.asker, needed):
        return refused(NOT_APPROVER)
    return None


def _needed(plan: Plan, verb: PlanVerb) -> Reach | None:
    """Returns how far a press lets calls reach: an approval lets each step run once."""
    if verb is PlanVerb.RETRY and plan.failed_step is not None:
        return plan.failed_step.preview.needs
    return plan.reach if verb is PlanVerb.APPROVE else None
