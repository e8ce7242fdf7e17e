"""Shows an open card to owners when the one who asked may not approve it any more."""

from collections.abc import Sequence

from bot.domain.change import SaveApproval, Write
from bot.domain.consent.approval import Approval, ApprovalState
from bot.domain.value import frozen, replace
from bot.flow.approvals.cards import shown_open
from bot.flow.approvals.open_cards import OpenCards
from bot.flow.approvals.owners import Owners
from bot.ports.chats import Chats
from bot.ports.people import People


@frozen
class Referring:
    """Sends cards on to owners: a right may be taken back while a card is open."""

    _cards: OpenCards
    _owners: Owners
    _chats: Chats
    _people: People

    async def refer(self, card: Approval) -> bool:
        """Shows a card in the private chats of owners; returns False where none of them sees it."""
        chat = await self._chats.get(card.chat)
        owners = await self._owners.asked_for(chat)
        asker = await self._people.get(card.asker)
        if not owners.chats or asker is None:
            return False

        async def shown(known: Approval) -> Sequence[Write]:
            preview = owners.asked(known.preview, chat)
            name = known.asker_name or asker.name
            now = replace(known, preview=preview, owner_chats=owners.chats, asker_name=name)
            return (SaveApproval(now, expect=ApprovalState.OPEN), *shown_open(now))

        return await self._cards.change(card, shown)
