"""What can be shown of a call that its tool has not looked at."""

from bot.domain.message import CodeBlock
from bot.domain.tool import Effect, Preview, ToolCall
from bot.domain.visible_text import visible


def unforeseen(call: ToolCall, effect: Effect, why: str = "") -> Preview:
    """All that can be shown of a call whose tool cannot foresee it yet: its arguments."""
    shown = CodeBlock(visible(call.canonical), "json")
    return Preview(call.name, visible(call.subject), effect, (shown,), why=why)
