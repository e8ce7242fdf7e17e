"""Marks of updates that need no turn."""

from bot.domain.change import Change, InboundState, MarkInbound
from bot.ports.inbox import InboundRow


def marked(
    row: InboundRow, state: InboundState, reason: str = "", *, forget: bool = False
) -> Change:
    """Returns the change that moves a new update to its last state; `forget` drops its body."""
    mark = MarkInbound(row.id, state, (InboundState.NEW,), reason=reason, forget=forget)
    return Change((mark,))
