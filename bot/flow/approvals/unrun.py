"""Cards that were set aside and ended without a run, told to the model at the next opening."""

from collections.abc import Sequence
from dataclasses import replace

from bot.domain.change import SaveApproval
from bot.domain.consent.approval import Approval, ApprovalState
from bot.domain.text.names import quoted_name
from bot.domain.turn.transcript import LateResultBody


def told_of(cards: Sequence[Approval], conversation: str) -> list[LateResultBody]:
    """Returns the entries about these cards; a conversation hears of its own cards alone."""
    return [_unrun(card) for card in cards if card.conversation == conversation]


def reported_as(card: Approval) -> SaveApproval:
    """Returns the write that keeps a card from being told again."""
    return SaveApproval(replace(card, reported=True), expect=card.state)


def _unrun(card: Approval) -> LateResultBody:
    by = f" by {quoted_name(card.decider_name)}" if card.decider_name else ""
    because = f": {card.reason}" if card.reason and card.state is ApprovalState.DENIED else ""
    decision = f"{card.state.value}{by}{because}; it did not run"
    return LateResultBody(card.id, card.call.name, card.preview.subject, decision, "")
