"""The open cards of a turn that ends: how each of them is closed or kept."""

from dataclasses import replace

from bot.domain.change import SaveApproval, Write
from bot.domain.consent.approval import Approval, ApprovalState
from bot.domain.talk.brought_back import BROUGHT_BACK
from bot.domain.turn.outcome import StopReason
from bot.flow.approvals.decided_cards import shown_decided
from bot.flow.log.work import Work

_OVER = "the work ended before it"
_SKIPPED: dict[StopReason, str] = {
    StopReason.DEADLINE: "the working time was over",
    StopReason.MAX_ROUNDS: "a limit was reached",
    StopReason.REPEAT_GUARD: "I was repeating myself",
    StopReason.INTERNAL_FAILURE: "I failed before it",
}


def cards_at_end(work: Work, reason: StopReason) -> list[Write]:
    """Returns the writes that close the open cards of a turn as its end demands."""
    if reason is StopReason.EXPIRED:
        return ended_cards(work, ApprovalState.EXPIRED)
    why = _SKIPPED.get(reason, _OVER)
    if reason is StopReason.USER_CANCELLED:
        # Nobody stopped what a backup brought back.
        why = BROUGHT_BACK if work.turn.stop_asked == BROUGHT_BACK else ""
    return ended_cards(work, ApprovalState.CANCELLED, why)


def ended_cards(work: Work, end: ApprovalState, why: str = "") -> list[Write]:
    """Decides the open cards of a turn; `why` is the reason if nobody stopped them."""
    writes: list[Write] = []
    zone = work.timezone
    for card in work.approvals:
        if card.state is ApprovalState.OPEN and card.turn == work.turn.id:
            ended = replace(card, state=end, decided_at=work.clock.now(), reason=why)
            writes.append(SaveApproval(ended, expect=ApprovalState.OPEN))
            writes.extend(shown_decided(ended, timezone=zone))
    return writes


def kept_cards(work: Work) -> list[Write]:
    """Returns the writes for undecided and unrun cards, which outlive their turn."""
    return [
        SaveApproval(replace(a, set_aside=True), expect=a.state)
        for a in work.approvals
        if a.state in (ApprovalState.OPEN, ApprovalState.APPROVED) and _unanswered(work, a)
    ]


def _unanswered(work: Work, card: Approval) -> bool:
    return any(c.call.id == card.call.id for c in work.progress.open_calls)
