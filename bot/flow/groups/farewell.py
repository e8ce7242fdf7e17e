"""Ends the unfinished work of a chat that the bot has left."""

from bot.domain.change import (
    AskStop,
    EndTries,
    InboundState,
    MarkInbound,
    PauseTasks,
    ReleaseHeard,
    Write,
)
from bot.domain.talk.chat import Chat
from bot.domain.turn.turn import BOT_GONE
from bot.domain.value import frozen
from bot.flow.approvals.undecided import CardEnding
from bot.flow.errands.recalling import called_back, left_behind
from bot.flow.plans.desk import PlanDesk
from bot.ports.approvals import Approvals
from bot.ports.inbox import InboundRow, Inbox
from bot.ports.journal import Journal
from bot.ports.lanes import Lanes


@frozen
class Farewell:
    """Ends turns, cards, plans and waiting messages of a chat that the bot has left.

    Its tasks are paused.
    """

    _approvals: Approvals
    _inbox: Inbox
    _journal: Journal
    _ending: CardEnding
    _plans: PlanDesk
    _lanes: Lanes

    async def to(self, chat: Chat, row: InboundRow) -> list[Write]:
        """Returns writes that stop the chat's turns and drop its waiting and heard messages.

        The cards of a stopped turn end with it; cards that were set aside are withdrawn at once.
        Messages owed to the chat stay owed until the platform refuses them. `row` is the update
        that says that the bot is gone.
        """
        cards = await self._approvals.open_in(chat.id)
        await self._ending.withdraw([card for card in cards if card.set_aside], None)
        agenda = await self._journal.agenda(chat.id)
        waiting = (InboundState.WAITING,)
        return [
            *(AskStop(turn.id, BOT_GONE) for turn in (*agenda.unfinished, *agenda.queued)),
            *(
                MarkInbound(r.id, InboundState.DROPPED, waiting, chat.id, reason=BOT_GONE)
                for r in await self._inbox.waiting(chat.id)
                if r.message_id is not None
            ),
            *called_back(left_behind(agenda.errands), BOT_GONE),
            ReleaseHeard(chat.id, row.id),
            PauseTasks(chat.id, BOT_GONE),
            EndTries(chat.id, BOT_GONE),
            *self._plans.left(agenda.plan, None),
        ]

    def interrupt(self, chat: Chat) -> None:
        """Interrupts the running turn of the chat; called after the writes of `to` are stored."""
        self._lanes.interrupt(chat.id)
