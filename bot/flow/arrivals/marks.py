"""Marks of updates that need no turn."""

from bot.domain.change import Change, InboundState, MarkInbound
from bot.ports.inbox import InboundRow


def marked(row: InboundRow, state: InboundState, reason: str = "") -> Change:
    """Returns the change that moves a new update to its last state."""
    return Change((MarkInbound(row.id, state, (InboundState.NEW,), reason=reason),))
