"""Ends cards without a decision: withdrawn, expired, stopped, or shown to nobody."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from bot.domain.change import AddAudit, AskStop, Change, SaveApproval, Write
from bot.domain.change.erasing import as_kept
from bot.domain.consent.approval import Approval, ApprovalState
from bot.domain.talk.person import Person
from bot.domain.text.names import plain_name
from bot.flow.approvals.decided_cards import shown_decided
from bot.flow.approvals.open_cards import Closed, OpenCards
from bot.ports.approvals import Approvals
from bot.ports.clock import Clock
from bot.ports.journal import Journal
from bot.ports.lanes import Lanes

_MOST_AT_ONCE = 500
"""The most overdue cards that one sweep ends."""


@dataclass(slots=True, eq=False)
class CardEnding:
    """Ends open cards; the call of such a card never runs."""

    _cards: OpenCards
    _approvals: Approvals
    _journal: Journal
    _lanes: Lanes
    _clock: Clock
    _giving_up: asyncio.Lock = field(default_factory=asyncio.Lock, init=False)

    async def withdraw(self, cards: Sequence[Approval], person: Person | None) -> int:
        """Cancels open cards at the wish of a person or for a fresh start."""
        return await self._end(cards, ApprovalState.CANCELLED, person)

    async def stop(self, card: Approval, person: Person) -> str:
        """Stops the card's turn, or the card if the turn is over; returns the private answer.

        It is empty where the end of the turn is told soon.
        """
        if card.set_aside:
            await self.withdraw([card], person)
            return "Stopped."
        ask = AskStop(card.turn, f"the card's Stop, by {plain_name(person.name)}")
        await self._journal.commit(Change((ask,), durable=True))
        self._lanes.interrupt(card.lane)
        return ""

    async def expire(self, cards: Sequence[Approval]) -> int:
        """Expires undecided cards; wakes a waiting turn, but only edits a set-aside card."""
        return await self._end(cards, ApprovalState.EXPIRED, None)

    async def sweep(self) -> None:
        """Expires overdue cards; runs from time to time."""
        await self.expire(await self._approvals.overdue(self._clock.now(), limit=_MOST_AT_ONCE))

    async def unaskable(self, id: str, chat: int, why: str) -> None:
        """Notes that a chat cannot show a card; if no other chat shows it, its call never runs.

        If owners are asked, only their chats count: nobody can approve on the asker's own copy.
        """
        async with self._giving_up:
            card = await self._approvals.get(id)
            if card is None or card.state is not ApprovalState.OPEN:
                return
            left = tuple(c for c in card.owner_chats if c != chat)
            if left:
                await self._narrow(card, left)
            elif chat in card.owner_chats or not card.owner_chats:
                await self._end([replace(card, reason=why)], ApprovalState.UNASKABLE, None)

    async def _narrow(self, card: Approval, owner_chats: tuple[int, ...]) -> None:
        """Saves the chats in which owners can still see the card."""

        async def narrowed(known: Approval) -> Sequence[Write]:
            return (SaveApproval(replace(known, owner_chats=owner_chats), expect=known.state),)

        await self._cards.change(card, narrowed)

    async def _end(
        self, cards: Sequence[Approval], state: ApprovalState, person: Person | None
    ) -> int:
        """Ends the cards that are still open and returns their number."""
        ended = 0
        for card in cards:
            ended += await self._ended(card, state, person)
        return ended

    async def _ended(self, card: Approval, state: ApprovalState, person: Person | None) -> bool:
        async def closing(known: Approval) -> Closed:
            now = self._clock.now()
            ended = replace(
                known,
                state=state,
                reason=card.reason,
                decided_at=now,
                decided_by=person.id if person is not None else None,
                decider_name=person.name if person is not None else "",
            )
            closed = as_kept(ended)
            about = {"card": card.id, "turn": card.turn}
            details = {"decision": state.value, "reason": card.reason, **about}
            by, subject = closed.decided_by, closed.preview.subject
            audit = AddAudit(now, closed.chat, by, "card.ended", subject, details)
            zone = await self._cards.timezone(closed)
            return Closed(closed, now, (*shown_decided(closed, timezone=zone), audit))

        return await self._cards.close(card, closing)
