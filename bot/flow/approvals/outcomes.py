"""The line that is left of an approved card once its call has a result."""

from collections.abc import Iterable

from bot.domain.change import Show
from bot.domain.consent.approval import ApprovalState
from bot.domain.tools.tool import ToolCall, ToolResult
from bot.flow.approvals.decided_cards import shown_decided
from bot.flow.log.work import Work


def outcomes(
    work: Work, ran: Iterable[tuple[ToolCall, ToolResult]], told_in: int | None = None
) -> list[Show]:
    """Returns the cards of these calls with what came of them; no other card changes.

    In the chat `told_in` a message shows what the calls told, so cards there do not quote it.
    """
    cards = {c.call.id: c.approval for c in work.progress.open_calls}
    zone = work.timezone
    shown: list[Show] = []
    for call, result in ran:
        card = cards.get(call.id)
        if card is None or card.state is not ApprovalState.APPROVED or card.kind == "repeat":
            continue
        shown.extend(shown_decided(card, timezone=zone, result=result, told_in=told_in))
    return shown
