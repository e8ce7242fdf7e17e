"""The preview of a call that its tool has not looked at."""

from collections.abc import Mapping
from typing import Any

from bot.domain.talk.message import Block, CodeBlock, Plain
from bot.domain.text.visible_text import visible
from bot.domain.tools.house import HOUSE
from bot.domain.tools.tool import Effect, Preview, ToolCall


def unforeseen(call: ToolCall, effect: Effect, fault: str = "") -> Preview:
    """Returns the preview of a call that its tool cannot foresee yet, in words where possible.

    `fault` is the reason why the call cannot be done as things are now.
    """
    told = _told(call.name, call.arguments or {}, call.canonical)
    warning = (Plain(f"⚠️ This would fail now — {visible(fault)}"),) if fault else ()
    return Preview(call.subject, call.subject, effect, (*warning, *told), fault=fault)


def _told(tool: str, arguments: Mapping[str, Any], spelled: str) -> tuple[Block, ...]:
    match tool:
        case "write_file":
            return (CodeBlock(visible(str(arguments.get("content", ""))), folds=True),)
        case "edit_file":
            gone, come = _passages(arguments)
            return (CodeBlock(visible("\n".join([*gone, *come])), "diff", folds=True),)
        case "run_command":
            return (CodeBlock(visible(str(arguments.get("command", ""))), "bash"),)
        case _ if tool in HOUSE and HOUSE[tool].whole:
            return ()
        case _:
            return (CodeBlock(visible(spelled), "json"),)


def _passages(arguments: Mapping[str, Any]) -> tuple[list[str], list[str]]:
    """Returns the lines that go and those that come; a line end that both have adds no line."""
    old, new = (str(arguments.get(name) or "") for name in ("old_text", "new_text"))
    if old.endswith("\n") and (new.endswith("\n") or not new):
        old, new = old[:-1], new[:-1]
    return _signed("-", old), _signed("+", new)


def _signed(sign: str, text: str) -> list[str]:
    return [f"{sign}{line}" for line in text.split("\n")] if text else []
