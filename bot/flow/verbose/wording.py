"""Messages about tool calls: their blocks, their room, and the name of who made the calls."""

from collections.abc import Sequence

from bot.domain.assignments.errand import titled
from bot.domain.talk.message import Block, CallBlock, Outbound, Plain
from bot.domain.tools.call_words import ROOM, Conceal, asked_of, block_of
from bot.domain.tools.tool import ToolCall, ToolResult
from bot.flow.log.work import Work

WHOLE = "/verbose last"
"""The command that shows the calls of the newest turn whole."""

NO_MORE = Plain("Further calls of this turn are not shown here.", style="aside")
_BESIDE_CALLS = 120
"""Characters of the lines beside calls: who made them, and how many more there are."""

_MOST = 20
"""The most calls in one message."""

_BESIDE = {"errand": "Helper", "task": "Task", "hook": "Hook"}


def blocks_of(
    ran: Sequence[tuple[ToolCall, ToolResult]], conceal: Conceal, *, whole: bool
) -> tuple[Block, ...]:
    """Returns the calls of a round, which share the room of one message.

    A call that needs less than its part leaves the rest to those after it.
    """
    shown = ran[:_MOST]
    asked = [asked_of(call, result, conceal) for call, result in shown]
    room, blocks = ROOM - _BESIDE_CALLS - sum(len(title) for title, _ in asked), list[Block]()
    for at, (_, result) in enumerate(shown):
        part = room // (len(shown) - at)
        block = block_of(asked[at], result, conceal, part, WHOLE if whole else "")
        room -= len(block.given) + len(block.result)
        blocks.append(block)
    if more := len(ran) - len(shown):
        blocks.append(Plain(f"… and {more} more calls", style="aside"))
    return tuple(blocks)


def fits(content: Outbound, more: Sequence[Block]) -> bool:
    """Returns True when the message has room for these blocks too."""
    return _size((*content.blocks, *more)) <= ROOM


def is_full(content: Outbound) -> bool:
    """Returns True when the message already says that no more calls are shown."""
    return content.blocks[-1] == NO_MORE


def heading(work: Work) -> str:
    """Returns the line that names an errand or a run; empty for the turn of a message."""
    kind = _BESIDE.get(work.turn.origin)
    if kind is None:
        return ""
    name = titled(work.purpose).replace("`", "'")
    return f"{kind}: `{name}`" if name else kind


def _size(blocks: Sequence[Block]) -> int:
    inside = (len(b.given) + len(b.result) for b in blocks if isinstance(b, CallBlock))
    return sum(len(block.text) for block in blocks) + sum(inside)
