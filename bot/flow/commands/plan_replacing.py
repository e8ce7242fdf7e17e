"""Decides the cards that ask if a new plan replaces the live one."""

from collections.abc import Sequence
from typing import assert_never

from bot.domain.change import Change, InboundState, Write
from bot.domain.plans.plan import Plan, ReplaceVerb
from bot.domain.talk.errors import Conflict
from bot.domain.talk.message import Outbound, Press, PressAnswer
from bot.domain.talk.person import Person
from bot.domain.value import frozen
from bot.flow.commanding.desks import NOT_OURS, NOT_YOURS, Desk, refused, spent
from bot.flow.commanding.table import Answer, Question, Queued, answer_key
from bot.flow.commands.consequences import Consequences
from bot.flow.commands.dispatch import in_answer, invoked
from bot.flow.commands.stored_arrivals import StoredArrivals
from bot.flow.plans.commands import PlanCommands, wanted
from bot.flow.plans.replace_question import REPLACE_BUTTONS, Replacement, answered, fixed, question
from bot.flow.queue.arrival import Arrival
from bot.flow.queue.queueing import Queueing
from bot.ports.journal import Journal
from bot.ports.plans import Plans

MOVED_ON = "The plan has changed meanwhile. Look at it as it is now."
_KEPT = "The old plan stays."
_TOO_MANY = "I did not take it: you have sent too many messages."

_LOOKS = 5
"""The number of tries for one press, since the plan may change at the same moment."""


@frozen
class PlanReplacing(Desk[Replacement]):
    """The desk of those cards: it carries the asking command out again, or drops it.

    The state of the message's row tells if the question is open, so it is answered once.
    """

    buttons = (REPLACE_BUTTONS,)

    _arrivals: StoredArrivals
    _journal: Journal
    _plans: Plans
    _commands: PlanCommands
    _queueing: Queueing
    _consequences: Consequences

    async def press(
        self, meant: Replacement, press: Press, chat: int, person: Person | None
    ) -> PressAnswer:
        for _ in range(_LOOKS):
            arrival = await self._arrivals.get(meant.row, chat)
            shown = await self._plan(meant, chat)
            if arrival is None or shown is None:
                return refused(NOT_OURS)
            if arrival.row.state is not InboundState.ASKED:
                return spent()
            if person is None or not person.may_decide_for(arrival.person.id):
                return refused(NOT_YOURS)
            try:
                return await self._answer(meant, arrival, shown, person)
            except Conflict:
                continue
        return spent()

    async def card_key(self, meant: Replacement, chat: int) -> str | None:
        """Returns the outbound key of the question with this button in this chat."""
        arrival = await self._arrivals.get(meant.row, chat)
        return answer_key(arrival.row.id) if arrival is not None else None

    async def _plan(self, meant: Replacement, chat: int) -> Plan | None:
        plan = await self._plans.by_token(meant.token)
        return plan if plan is not None and plan.chat == chat else None

    async def _answer(
        self, meant: Replacement, arrival: Arrival, shown: Plan, person: Person
    ) -> PressAnswer:
        """Carries out a press; raises Conflict when something else came in between."""
        asked = question(shown, wanted(arrival.message), meant.row)
        if meant.verb is ReplaceVerb.KEEP:
            await self._commit(arrival.done(), in_answer(arrival, answered(_KEPT)))
            return PressAnswer(_KEPT)
        live = await self._plans.live(arrival.chat.id)
        if live is not None and (why := fixed(live, person)):
            return refused(why)
        if live is not None and not meant.is_about(live):
            again = question(live, wanted(arrival.message), meant.row)
            await self._commit(arrival.asked(), in_answer(arrival, again))
            return refused(MOVED_ON)
        return await self._begin(arrival, asked, live, person)

    async def _begin(
        self, arrival: Arrival, asked: Outbound, live: Plan | None, person: Person
    ) -> PressAnswer:
        """Carries the command out; it may drop the plan that is live now."""
        response = await self._commands.replacing(invoked(arrival), live, person)
        verdict = "🔁 Replaced the old plan." if live else "The other plan has ended already."
        match response:
            case Question(card, _):
                await self._commit(arrival.asked(), in_answer(arrival, card))
                return refused(MOVED_ON)
            case Queued(writes):
                return await self._put(arrival, writes, asked, verdict)
            case Answer(text, writes, then):
                told = [verdict, text] if writes else [text]
                card = in_answer(arrival, answered("\n".join(told)))
                await self._commit(arrival.done(), *writes, card)
                await self._consequences.follow(then)
                return PressAnswer(told[0])
            case _:
                assert_never(response)

    async def _put(
        self, arrival: Arrival, writes: Sequence[Write], asked: Outbound, verdict: str
    ) -> PressAnswer:
        """Queues the message, unless it is over the person's pace."""
        card = in_answer(arrival, answered(verdict))
        if await self._queueing.put(arrival, (*writes, card)):
            return PressAnswer(verdict)
        declined = answered(_TOO_MANY)
        await self._commit(in_answer(arrival, declined))
        return refused(_TOO_MANY)

    async def _commit(self, *writes: Write) -> None:
        await self._journal.commit(Change(writes, durable=True))
