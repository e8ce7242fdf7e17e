"""The parts of a content that the screen treats in a way of their own."""

from dataclasses import replace

from bot.domain.message import Block, Button, Markdown, Outbound, OutboundKind, Plain


def is_said(block: Block) -> bool:
    """Tells if a block holds words that were said before the answer."""
    return isinstance(block, Markdown) and block.said


def points(block: Block) -> bool:
    """Tells if a block only points to a card whose news is told here."""
    return isinstance(block, Markdown) and block.points


def without_advice(content: Outbound) -> Outbound:
    """Returns a card without its small print, which is for people who decide about it."""
    told = (b for b in content.blocks if not isinstance(b, Plain) or b.style != "aside")
    return replace(content, blocks=tuple(told))


def buttons_of(content: Outbound) -> list[Button]:
    """Returns the buttons that have keys: those of a menu are typed as commands."""
    if content.kind is OutboundKind.MENU:
        return []
    return [button for row in content.buttons for button in row]
