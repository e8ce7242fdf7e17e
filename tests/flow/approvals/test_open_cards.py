"""A card that changes at the very moment it ends is looked at again, and ends once."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from bot.adapters.lanes.embedded_lanes import EmbeddedLanes
from bot.domain.change import Change, Fence, SaveApproval
from bot.domain.consent.approval import ApprovalState
from bot.domain.talk.errors import Conflict
from bot.domain.talk.message import Address
from bot.domain.turn.transcript import Entry
from bot.flow.approvals.clocks import Clocks
from bot.flow.approvals.open_cards import OpenCards
from bot.flow.approvals.undecided import CardEnding
from bot.ports.journal import Agenda, Journal
from tests.contracts.store_samples import a_card, commit
from tests.fakes.clock import FakeClock
from tests.fakes.store import MemoryStore


class OvertakenJournal:
    """A journal before whose first commit somebody else's change is written."""

    def __init__(self, journal: Journal, others: Change) -> None:
        self._journal = journal
        self._others: Change | None = others

    async def commit(self, change: Change) -> None:
        if self._others is not None:
            others, self._others = self._others, None
            await self._journal.commit(others)
            raise Conflict("the round has changed")
        await self._journal.commit(change)

    async def claim(self, chat: int) -> Fence:
        return await self._journal.claim(chat)

    async def entries(self, conversation: str, after: int = 0) -> Sequence[Entry]:
        return await self._journal.entries(conversation, after)

    async def agenda(self, chat: int) -> Agenda:
        return await self._journal.agenda(chat)

    async def chats_with_work(self) -> Sequence[int]:
        return await self._journal.chats_with_work()


async def _drain(chat: int) -> None:
    """Has nothing to do."""
    del chat


@pytest.mark.parametrize(
    ("other", "ends"), [(ApprovalState.OPEN, True), (ApprovalState.DENIED, False)]
)
async def test_a_card_that_was_overtaken_ends_only_if_it_is_open_still(
    other: ApprovalState, ends: bool
) -> None:
    store, clock = MemoryStore(), FakeClock()
    chat = await store.chats.at(Address("telegram", "42"), private=True)
    home = await store.chats.at(Address("telegram", "43"), private=True)
    card = a_card(chat)
    await commit(store, SaveApproval(card))
    theirs = replace(card, state=other, owner_chats=(home.id,))
    others = Change((SaveApproval(theirs, expect=ApprovalState.OPEN),))
    journal = OvertakenJournal(store.journal, others)
    async with EmbeddedLanes(_drain, clock) as lanes:
        clocks = Clocks(store.people)
        cards = OpenCards(journal, store.approvals, store.turns, store.chats, lanes, clocks)
        ending = CardEnding(cards, store.approvals, journal, lanes, clock)
        assert await ending.withdraw([card], None) == ends
    known = await store.approvals.get(card.id)
    assert known is not None
    assert known.state is (ApprovalState.CANCELLED if ends else other)
    assert known.owner_chats == (home.id,)
