"""The answer to whether a new plan takes the place of the live one."""

from bot.domain.change import Change, InboundState
from bot.domain.errors import Conflict
from bot.domain.message import Outbound, Press
from bot.domain.person import Person
from bot.domain.plan import Plan, ReplaceVerb
from bot.flow.approvals.desks import NOT_OURS, NOT_YOURS, SPENT, Taken
from bot.flow.commands.dispatch import in_answer, invoked
from bot.flow.commands.plans import PlanCommands, wanted
from bot.flow.plans.question import Replacement, answered, fixed, parse_data, question
from bot.flow.queue.arrival import Arrival
from bot.flow.queue.queueing import Queueing
from bot.flow.reading.message_reader import MessageReader
from bot.ports.chats import Chats
from bot.ports.inbox import Inbox
from bot.ports.journal import Journal
from bot.ports.lanes import Lanes
from bot.ports.plans import Plans

MOVED_ON = "The plan has moved on meanwhile. Look at how it stands now."

_LOOKS = 5
"""How often a press is looked at anew because something moved on at that very moment."""


class PlanReplacing:
    """The desk of those cards: a message that was asked about is carried out anew, or dropped.

    The state of the message's row says whether the question is open, so it is answered once.
    """

    def __init__(
        self,
        reader: MessageReader,
        inbox: Inbox,
        journal: Journal,
        chats: Chats,
        plans: Plans,
        commands: PlanCommands,
        queueing: Queueing,
        lanes: Lanes,
    ) -> None:
        self._reader = reader
        self._inbox = inbox
        self._journal = journal
        self._chats = chats
        self._plans = plans
        self._commands = commands
        self._queueing = queueing
        self._lanes = lanes

    async def press(self, press: Press, chat: int, person: Person | None) -> str:
        meant = parse_data(press.data)
        if meant is None:
            return NOT_OURS
        for _ in range(_LOOKS):
            arrival, shown = await self._arrival(meant, chat), await self._plan(meant, chat)
            if arrival is None or shown is None:
                return NOT_OURS
            if arrival.row.state is not InboundState.ASKED:
                return SPENT
            if person is None or not person.may_decide_for(arrival.person.id):
                return NOT_YOURS
            try:
                return await self._answer(meant, arrival, shown, person)
            except Conflict:
                continue
        return SPENT

    async def reply(self, chat: int, key: str, text: str, person: Person) -> Taken:
        """Words are no answer: they are a message like any other."""
        return Taken.NO

    async def _arrival(self, meant: Replacement, chat: int) -> Arrival | None:
        """The message that was asked about, with who wrote it."""
        row = await self._inbox.get(meant.row)
        if row is None or row.chat != chat:
            return None
        place = await self._chats.get(chat)
        asked = await self._reader.read(row, place)
        return Arrival(row, asked.bundle.first, place, asked.person) if asked is not None else None

    async def _plan(self, meant: Replacement, chat: int) -> Plan | None:
        plan = await self._plans.by_token(meant.token)
        return plan if plan is not None and plan.chat == chat else None

    async def _answer(
        self, meant: Replacement, arrival: Arrival, shown: Plan, person: Person
    ) -> str:
        """Carries out a press; raises Conflict when something else came in between."""
        asked = question(shown, wanted(arrival.message), meant.row)
        if meant.verb is ReplaceVerb.KEEP:
            verdict = f"↩️ Kept by {person.name}."
            show = in_answer(arrival, answered(asked, verdict))
            await self._journal.commit(Change((arrival.done(), show), durable=True))
            return "Kept."
        live = await self._plans.live(arrival.chat.id)
        if live is not None and (why := fixed(live, person)):
            return why
        if live is not None and not meant.is_about(live):
            again = question(live, wanted(arrival.message), meant.row)
            show = in_answer(arrival, again)
            await self._journal.commit(Change((arrival.asked(), show), durable=True))
            return MOVED_ON
        return await self._begin(arrival, asked, live, person)

    async def _begin(
        self, arrival: Arrival, asked: Outbound, live: Plan | None, person: Person
    ) -> str:
        """Carries the command out with leave to drop the live plan, if there is one still."""
        answer = await self._commands.replacing(invoked(arrival), live, person)
        verdict = f"🔁 Replaced by {person.name}." if live else "The other plan has ended already."
        told = [verdict] if answer.queued else [verdict, answer.text]
        if not answer.writes:
            told = [answer.text]
        card = in_answer(arrival, answered(asked, "\n".join(told)))
        if answer.queued:
            if await self._queueing.put(arrival, (*answer.writes, card)):
                return told[0]
            declined = in_answer(arrival, answered(asked, "It was not taken: too many messages."))
            await self._journal.commit(Change((declined,), durable=True))
            return "Not taken."
        writes = (arrival.done(), *answer.writes, card)
        await self._journal.commit(Change(writes, durable=True))
        if answer.interrupt:
            self._lanes.interrupt(arrival.chat.id)
        return told[0]
