"""The cards of changes that were taken back, and their buttons."""

from collections.abc import Sequence
from dataclasses import replace

from bot.domain.change import Show
from bot.domain.consent.approval import Approval
from bot.domain.talk.message import Plain
from bot.domain.tools.file_change import FileChange
from bot.flow.approvals.decided_cards import gave_rule, undo_button
from bot.flow.undoing.wording import CHANGE_UNDONE, UNDONE
from bot.ports.approvals import Approvals
from bot.ports.outbox import Outbox, OutboxRow


class CardsBack:
    """Finds the cards of changes; a change that ran by a rule or in a plan has none."""

    def __init__(self, approvals: Approvals, outbox: Outbox) -> None:
        self._approvals = approvals
        self._outbox = outbox

    async def of(self, change: FileChange) -> Approval | None:
        cards = await self._approvals.of_turn(change.turn)
        late = change.turn.removeprefix("late-")
        if late != change.turn:
            card = await self._approvals.get(late)
            cards = (*cards, card) if card is not None else cards
        return next((card for card in cards if card.call.id == change.call), None)

    async def shown(self, change: FileChange) -> Sequence[Show]:
        """Shows how a change stands on its card, with the button for the other way."""
        card = await self.of(change)
        ruled = card is not None and gave_rule(card)
        undone = CHANGE_UNDONE if ruled else UNDONE
        aside = (Plain(undone, style="aside"),) if change.undone else ()
        buttons = ()
        if change.spare_kept:
            buttons = undo_button(change.id, change.flips, beside_rule=ruled)
        return [
            Show(
                row.key,
                row.chat,
                replace(row.content, blocks=(*row.content.blocks[:1], *aside), buttons=buttons),
            )
            for row in await self._rows(card)
        ]

    async def ended(self, change: FileChange) -> Sequence[Show]:
        """Takes the buttons away: the old content is no longer kept."""
        return [
            Show(row.key, row.chat, replace(row.content, buttons=(), decided=False))
            for row in await self._rows(await self.of(change))
        ]

    async def _rows(self, card: Approval | None) -> Sequence[OutboxRow]:
        keys = () if card is None else tuple(card.key_in(chat) for chat in card.chats)
        rows = [await self._outbox.row(key) for key in keys]
        return [row for row in rows if row is not None and row.content.decided]
