"""The parts of a content that the screen treats in a way of their own."""

import re
from collections.abc import Collection
from dataclasses import replace

from bot.domain.talk.message import (
    Block,
    Button,
    CallBlock,
    Markdown,
    Outbound,
    OutboundKind,
    Plain,
)

_LASTED = re.compile(r", \d+ s$")
_TIMES = re.compile(r" \(\d+ times\)$")


def is_said(block: Block) -> bool:
    """Tells if a block holds words that were said before the answer."""
    return isinstance(block, Markdown) and block.said


def points(block: Block) -> bool:
    """Tells if a block only points to a card whose news is told here."""
    return isinstance(block, Markdown) and block.points


def begins_with_step(block: Block, steps: Collection[str]) -> bool:
    """Tells if a small line below an answer says what a printed line of a tool has said."""
    if not isinstance(block, Plain) or block.style != "aside":
        return False
    first = _TIMES.sub("", block.text.partition("\n")[0])
    return any(first == _TIMES.sub("", step) for step in steps)


def call_line(call: CallBlock) -> str:
    """Returns the line of a call as the line of its tool says it: without marks and time."""
    return _LASTED.sub("", call.text.replace("`", ""))


def without_advice(content: Outbound) -> Outbound:
    """Returns a card without its small print, which is for people who decide about it."""
    told = (b for b in content.blocks if not isinstance(b, Plain) or b.style != "aside")
    return replace(content, blocks=tuple(told))


def buttons_of(content: Outbound) -> list[Button]:
    """Returns the buttons that have keys.

    Those of a menu are typed as commands, and those of a decided card are what `/undo` is for.
    """
    if content.kind is OutboundKind.MENU or content.decided:
        return []
    return [button for row in content.buttons for button in row]
