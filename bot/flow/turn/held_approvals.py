"""Approvals that outlive the rest of a turn: their calls were closed before they ran."""

from bot.domain.consent.consent import difference, of_card
from bot.domain.tools.tool import Preview, ToolCall
from bot.domain.turn.progress import Progress


class HeldApprovals:
    """Lets an equal call run for each approved call that a rest closed, in one look at a turn."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._used: set[str] = set()

    def covers(self, call: ToolCall, preview: Preview) -> bool:
        """Returns True, once, when a person has approved what a card would show again."""
        for card in self._progress.held(call):
            if card.id not in self._used and difference(of_card(card), call, preview) is None:
                self._used.add(card.id)
                return True
        return False
