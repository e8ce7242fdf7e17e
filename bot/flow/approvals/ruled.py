"""A companion of turns that tells what ran without a card, because of a standing rule."""

from collections import Counter
from collections.abc import Sequence

from bot.domain.change import Show
from bot.domain.contribution import Aside, Ended
from bot.domain.message import Outbound, OutboundKind, Plain
from bot.domain.rules import allowed_line
from bot.domain.step import Finish
from bot.domain.tool import ToolCall, ToolResult
from bot.flow.log.bystander import Bystander
from bot.flow.log.work import Work

_MOST = 3
"""Lines below an answer; what is more is counted."""


class RuledCompanion(Bystander):
    """Tells it once, at the end of the turn, from the results in the log."""

    async def ended(
        self, work: Work, finish: Finish, closed: Sequence[tuple[ToolCall, ToolResult]]
    ) -> Ended:
        return Ended(below=told(work))

    async def set_aside(self, work: Work) -> Aside:
        """Tells it in a message of its own: a turn that a new message ends has no last word."""
        text = told(work)
        if not text:
            return Aside()
        notice = Outbound(OutboundKind.NOTICE, (Plain(text, style="aside"),), silent=True)
        return Aside((Show(f"ruled:{work.turn.id}", work.turn.chat, notice),))


def told(work: Work) -> str:
    """Returns the lines about the calls of a turn that ran under a rule; empty without any."""
    ruled = (done.result.ruled for done in work.progress.done)
    counts = Counter(text for text in ruled if text)
    lines = [allowed_line(text, times) for text, times in counts.items()]
    if len(lines) > _MOST:
        lines[_MOST:] = [f"✓ {len(lines) - _MOST} more, as you always allow"]
    return "\n".join(lines)
