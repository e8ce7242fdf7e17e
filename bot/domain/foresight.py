"""The preview of a call that its tool has not looked at."""

from bot.domain.message import CodeBlock
from bot.domain.tool import Effect, Preview, ToolCall
from bot.domain.visible_text import visible


def unforeseen(call: ToolCall, effect: Effect, why: str = "") -> Preview:
    """Returns the preview of a call that its tool cannot foresee yet: its arguments."""
    shown = CodeBlock(visible(call.canonical), "json")
    return Preview(call.name, visible(call.subject), effect, (shown,), why=why)
