"""The parts of a rich message, as a tree of the tags that the Bot API documents.

Source: core.telegram.org/bots/api, “Rich HTML style” and “Rich Message Limits”.
"""

from collections.abc import Iterator, Sequence
from typing import TypeAlias

from bot.domain.value import frozen

LONGEST = 32_768
"""Characters of one rich message, the sources of formulas included."""

MOST_BLOCKS = 500
"""Blocks of one rich message: each item of a list and each row of a table is one too."""

DEEPEST = 16
"""Levels of blocks and formatting within each other."""

MOST_COLUMNS = 20
"""Columns of a table."""

HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
WORDS = frozenset({"b", "i", "s", "code", "a", "tg-math", "br", "input"})
"""Tags that stand within a line; every other one is a block."""

VOID = frozenset({"br", "hr", "input"})
"""Tags without an inside."""

_NO_BLOCKS = WORDS | {"th", "td", "summary"}


@frozen
class Element:
    """A tag with its attributes, `marks`, and its inside."""

    tag: str
    inside: tuple["Node", ...] = ()
    marks: tuple[tuple[str, str], ...] = ()


Node: TypeAlias = Element | str


def is_word(node: Node) -> bool:
    """Returns True for text and for tags within a line."""
    return isinstance(node, str) or node.tag in WORDS


def text_of(nodes: Sequence[Node]) -> str:
    """Returns the characters that count: all text, and one for each line break."""
    return "".join(_texts(nodes))


def blocks_in(nodes: Sequence[Node]) -> int:
    """Counts the blocks as the platform's limit does."""
    inner = (node for node in nodes if isinstance(node, Element))
    return sum((node.tag not in _NO_BLOCKS) + blocks_in(node.inside) for node in inner)


def _texts(nodes: Sequence[Node]) -> Iterator[str]:
    for node in nodes:
        if isinstance(node, str):
            yield node
        elif node.tag == "br":
            yield "\n"
        else:
            yield from _texts(node.inside)
