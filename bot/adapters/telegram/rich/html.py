"""Writes a rich message in the HTML of the Bot API: every sign of a text is escaped."""

from collections.abc import Sequence

from bot.adapters.telegram.rich.elements import VOID, Node

# The service knows few names of signs; these are among them.
_SIGNS = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;"})


def html_of(nodes: Sequence[Node]) -> str:
    """Returns the HTML of these parts."""
    return "".join(_written(node) for node in nodes)


def _written(node: Node) -> str:
    if isinstance(node, str):
        return node.translate(_SIGNS)
    marks = "".join(_mark(name, value) for name, value in node.marks)
    if node.tag in VOID:
        return f"<{node.tag}{marks}>"
    return f"<{node.tag}{marks}>{html_of(node.inside)}</{node.tag}>"


def _mark(name: str, value: str) -> str:
    return f' {name}="{value.translate(_SIGNS)}"' if value else f" {name}"
