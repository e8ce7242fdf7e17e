"""Changes and closes open cards from their newest row, and queues the calls this sets free."""

from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime
from typing import TypeAlias

from bot.domain.assignments.unwatched import late_turn
from bot.domain.change import Change, SaveApproval, SaveTurn, Show, Write
from bot.domain.consent.approval import UNENDING, Approval, ApprovalState
from bot.domain.talk.errors import Conflict
from bot.domain.turn.turn import Turn
from bot.domain.value import frozen, replace
from bot.flow.approvals.clocks import Clocks
from bot.ports.approvals import Approvals
from bot.ports.chats import Chats
from bot.ports.journal import Journal
from bot.ports.lanes import Lanes
from bot.ports.turns import TurnRows


@frozen
class Closed:
    """A card after its end, with the writes that show and record it."""

    card: Approval
    at: datetime
    writes: tuple[Write, ...]


Closing: TypeAlias = Callable[[Approval], Awaitable[Closed]]
"""Computes the end of a card from its present row."""


@frozen
class OpenCards:
    """Changes and closes open cards, each in one transaction."""

    _journal: Journal
    _approvals: Approvals
    _turns: TurnRows
    _chats: Chats
    _lanes: Lanes
    _clocks: Clocks

    async def timezone(self, card: Approval) -> str | None:
        """Returns the time zone of the people in the card's chat; None where nobody told it."""
        return await self._clocks.known(await self._chats.get(card.chat), card.asker)

    async def show(self, shown: Show) -> None:
        """Shows a message about a card that stays as it is."""
        await self._journal.commit(Change((shown,), durable=True))

    async def change(
        self, card: Approval, writes: Callable[[Approval], Awaitable[Sequence[Write]]]
    ) -> bool:
        """Writes a change of an open card once; returns False when the card is no longer open.

        Tries again whenever the card or its round has changed at the same moment.
        """
        known: Approval | None = card
        while known is not None and known.state is ApprovalState.OPEN:
            change = Change(tuple(await writes(known)), durable=True)
            try:
                await self._journal.commit(change)
            except Conflict:
                known = await self._approvals.get(card.id)
            else:
                return True
        return False

    async def close(self, card: Approval, closing: Closing) -> bool:
        """Ends an open card and wakes its chat; returns False when the card is no longer open."""

        async def writes(known: Approval) -> Sequence[Write]:
            closed = await closing(known)
            freed = await self._freed(closed) if known.set_aside else ()
            return SaveApproval(closed.card, expect=ApprovalState.OPEN), *closed.writes, *freed

        ended = await self.change(card, writes)
        if ended:
            self._lanes.wake(card.lane)
        return ended

    async def _freed(self, closed: Closed) -> Sequence[Write]:
        """Returns continuations for decided cards that no open card holds back any more.

        Their times of creation keep the order of the calls.
        """
        parent = await self._turns.get(closed.card.turn)
        if parent is None:
            return ()
        of_turn = await self._approvals.of_turn(closed.card.turn)
        cards = [closed.card if a.id == closed.card.id else a for a in of_turn if a.set_aside]
        writes: list[Write] = []
        for place, one in enumerate(sorted(cards, key=lambda a: a.position)):
            if one.state is ApprovalState.OPEN:
                break
            told = one.state is ApprovalState.DENIED and bool(one.reason)
            if not one.reported and (one.state is ApprovalState.APPROVED or told):
                writes.append(SaveApproval(replace(one, reported=True), expect=one.state))
                freed = closed.at + place * datetime.resolution
                writes.append(SaveTurn(_continuation(one, parent, freed)))
        return writes


def _continuation(card: Approval, parent: Turn, freed: datetime) -> Turn:
    """Returns the queued turn for a call whose card was decided after the turn's end."""
    return parent.starts(
        late_turn(card.id, unwatched=card.expires_at == UNENDING),
        freed,
        chat=card.chat,
        conversation=card.conversation,
        asker=card.asker,
        # A card without a name: the asker is alone with the bot and decided it.
        asker_name=card.asker_name or card.decider_name,
        origin="continuation",
        approval=card.id,
    )
