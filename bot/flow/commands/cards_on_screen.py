"""Finds what waits in a chat: cards of calls, plans and commands, turns, and a last question."""

from collections.abc import Sequence

from bot.domain.talk.message import Address
from bot.domain.turn.turn import TurnState
from bot.domain.value import frozen
from bot.flow.commanding.table import answer_key
from bot.flow.turn import rest_card
from bot.flow.ways.buttons import key_of
from bot.ports.approvals import Approvals
from bot.ports.chats import Chats
from bot.ports.inbox import LATELY, Inbox
from bot.ports.journal import Journal
from bot.ports.outbox import Outbox, OutboxRow
from bot.ports.plans import Plans


@frozen
class CardsOnScreen:
    """Returns cards as they stand on the screen, for a channel that lost its screen."""

    _chats: Chats
    _journal: Journal
    _approvals: Approvals
    _plans: Plans
    _inbox: Inbox
    _outbox: Outbox

    async def shown_in(self, home: Address) -> Sequence[OutboxRow]:
        """Returns the messages of a private chat that show an open card, or ask for words.

        A message asks only as long as nothing came after it.
        """
        chat = (await self._chats.at(home, private=True)).id
        rows = [await self._outbox.row(key) for key in await self._keys(chat)]
        newest = await self._outbox.newest(chat)
        asking = [newest] if newest is not None and newest.content.asks else []
        return [row for row in (*rows, *asking) if row is not None and row.message_ids]

    async def _keys(self, chat: int) -> Sequence[str]:
        """Returns the outbound keys of all open cards, calls first, and of a last answer."""
        calls = [card.key_in(chat) for card in await self._approvals.open_in(chat)]
        plan = await self._plans.live(chat)
        plans = [] if plan is None else [plan.key_in(chat)]
        questions = [answer_key(row.id) for row in await self._inbox.asked(chat, LATELY)]
        agenda = await self._journal.agenda(chat)
        resting = (turn for turn in agenda.unfinished if turn.state is TurnState.RESTING)
        rests = [rest_card.key_of(turn.id) for turn in resting]
        ends = [] if agenda.leads_on is None else [key_of(agenda.leads_on)]
        return [*calls, *plans, *questions, *rests, *ends]
