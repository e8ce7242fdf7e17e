"""Commands about the running turn and the conversation."""

import secrets
from collections.abc import Sequence

from bot.domain.change import SaveConversation, SaveTurn, Write
from bot.domain.turn.mandate import PERSONAL
from bot.domain.turn.turn import TurnAsker
from bot.flow.approvals.undecided import CardEnding
from bot.flow.commanding.effects import Interrupt, Wake
from bot.flow.commanding.table import Answer, Command, Invocation
from bot.flow.commands.stops import stops
from bot.flow.log.fresh_start import fresh, put_away
from bot.flow.models.choosing import Choosing
from bot.flow.plans.desk import PlanDesk
from bot.ports.approvals import Approvals
from bot.ports.chats import ConversationRows
from bot.ports.clock import Clock
from bot.ports.journal import Journal


class TurnCommands:
    def __init__(
        self,
        journal: Journal,
        chats: ConversationRows,
        approvals: Approvals,
        ending: CardEnding,
        plans: PlanDesk,
        clock: Clock,
        choosing: Choosing,
    ) -> None:
        self._journal = journal
        self._chats = chats
        self._approvals = approvals
        self._ending = ending
        self._plans = plans
        self._clock = clock
        self._choosing = choosing

    @property
    def table(self) -> Sequence[Command]:
        return (
            Command("new", "start a fresh conversation", self.new, first=True),
            Command("compact", "summarise the conversation so far", self.compact),
        )

    async def new(self, asked: Invocation) -> Answer:
        """Ends the turns and cards the person may decide on, and opens an empty conversation."""
        agenda = await self._journal.agenda(asked.chat.id)
        if why := self._plans.holds(agenda.plan, asked.person):
            return Answer(why)
        cards = await self._approvals.open_in(asked.chat.id)
        # Cards of turns that go on end with them.
        left = [c for c in cards if c.set_aside and asked.person.may_decide_for(c.asker)]
        await self._ending.withdraw(left, asked.person)
        ended = (*stops(agenda, asked), *self._plans.left(agenda.plan, asked.person))
        now = self._clock.now()
        current = await self._chats.conversation(asked.chat.id, asked.chat.conversation)
        closed: tuple[Write, ...] = ()
        if current is not None:
            closed = (SaveConversation(put_away(current, agenda.chat, now)),)
        _, opening = fresh(asked.chat, now)
        told = "A fresh start. I keep our earlier conversations: /conversations lists them."
        then = (Interrupt(asked.chat.id),) if ended else ()
        return Answer(told, (*ended, *closed, *opening), then)

    async def compact(self, asked: Invocation) -> Answer:
        chat, person = asked.chat, asked.person
        asker = TurnAsker(chat.id, chat.conversation, person.id, person.name)
        model, now = self._choosing.model(chat.settings.model), self._clock.now()
        turn = asker.starts(secrets.token_hex(8), now, PERSONAL, model=model, origin="compaction")
        return Answer("Summarising…", (SaveTurn(turn),), (Wake(chat.id),))
