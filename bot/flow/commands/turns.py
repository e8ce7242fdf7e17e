"""Commands about the running turn and the conversation."""

import secrets
from collections.abc import Sequence
from dataclasses import replace

from bot.domain.change import (
    SaveChat,
    SaveConversation,
    SaveTurn,
    Write,
)
from bot.domain.chat import QueueMode
from bot.domain.turn import Turn, TurnState
from bot.flow.approvals.ending import CardEnding
from bot.flow.commands.consequences import Interrupt, Wake
from bot.flow.commands.stopping import stops
from bot.flow.commands.table import Answer, Command, Invocation
from bot.flow.log.fresh_start import fresh
from bot.flow.plans.desk import PlanDesk
from bot.ports.approvals import Approvals
from bot.ports.chats import Chats
from bot.ports.clock import Clock
from bot.ports.journal import Journal

_MODES = {
    QueueMode.QUEUE: "a message that arrives during a turn waits for the next one",
    QueueMode.STEER: "a message that arrives during a turn joins it at its next round",
    QueueMode.INTERRUPT: "a message that arrives during a turn stops it and starts anew",
}


class TurnCommands:
    def __init__(
        self,
        journal: Journal,
        chats: Chats,
        approvals: Approvals,
        ending: CardEnding,
        plans: PlanDesk,
        clock: Clock,
        model: str,
    ) -> None:
        self._journal = journal
        self._chats = chats
        self._approvals = approvals
        self._ending = ending
        self._plans = plans
        self._clock = clock
        self._model = model

    @property
    def table(self) -> Sequence[Command]:
        return (
            Command("new", "start a fresh conversation", self.new),
            Command(
                "queue", "what a message during a turn does", self.queue, "queue|steer|interrupt"
            ),
            Command("compact", "summarise the conversation so far", self.compact),
        )

    async def new(self, asked: Invocation) -> Answer:
        """Ends the turns and cards the person may decide on, and opens an empty conversation."""
        agenda = await self._journal.agenda(asked.chat.id)
        cards = await self._approvals.open_in(asked.chat.id)
        # Cards of turns that go on end with them.
        left = [c for c in cards if c.set_aside and asked.person.may_decide_for(c.asker)]
        await self._ending.withdraw(left, asked.person)
        ended = (*stops(agenda, asked), *self._plans.left(agenda.plan, asked.person))
        now = self._clock.now()
        current = await self._chats.conversation(asked.chat.id, asked.chat.conversation)
        closed: tuple[Write, ...] = ()
        if current is not None:
            closed = (SaveConversation(replace(current, closed_at=now)),)
        _, opening = fresh(asked.chat, now)
        told = "A fresh start. Earlier conversations stay on record."
        then = (Interrupt(asked.chat.id),) if ended else ()
        return Answer(told, (*ended, *closed, *opening), then)

    async def queue(self, asked: Invocation) -> Answer:
        chosen = asked.words[0].lower() if asked.words else ""
        if chosen not in set(QueueMode):
            lines = [f"- `{mode}`: {told}" for mode, told in _MODES.items()]
            current = f"Now: `{asked.chat.queue_mode}`. Usage: /queue queue|steer|interrupt"
            return Answer("\n".join([current, *lines]))
        mode = QueueMode(chosen)
        saved = SaveChat(replace(asked.chat, queue_mode=mode))
        return Answer(f"From now on {_MODES[mode]}.", (saved,))

    async def compact(self, asked: Invocation) -> Answer:
        turn = Turn(
            id=secrets.token_hex(8),
            chat=asked.chat.id,
            conversation=asked.chat.conversation,
            asker=asked.person.id,
            asker_name=asked.person.name,
            model=asked.chat.model or self._model,
            created_at=self._clock.now(),
            origin="compaction",
            state=TurnState.QUEUED,
        )
        return Answer("Summarising…", (SaveTurn(turn),), (Wake(asked.chat.id),))
