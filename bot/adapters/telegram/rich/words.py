"""Reads a rich message that came from Telegram as plain words, close to Markdown.

Answers of the bot come back this way when somebody replies to them. Of media only a name is told.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeGuard

from bot.domain.text.storable import storable

_DEEPEST = 40
"""Levels that are read of a message, more than the platform allows."""

_LONGEST = 40_000
_MARKS = {"bold": "**", "italic": "_", "strikethrough": "~~", "code": "`"}


def words_of(rich: object) -> str:
    """Returns the words of a rich message; empty for a form that is not known."""
    blocks = rich.get("blocks") if _is_object(rich) else None
    return storable("\n\n".join(_blocks(blocks, _DEEPEST))[:_LONGEST])


def has_only_words(rich: object) -> bool:
    """Returns True when a rich message has no media and nothing of an unknown kind."""
    blocks = rich.get("blocks") if _is_object(rich) else None
    return _is_list(blocks) and all(_is_words(block, _DEEPEST) for block in blocks)


def _is_words(block: object, depth: int) -> bool:
    if not _is_object(block) or not depth or block.get("type") not in _KINDS:
        return False
    items = (one for one in _listed(block.get("items")) if _is_object(one))
    inner = [
        *_listed(block.get("blocks")),
        *(b for one in items for b in _listed(one.get("blocks"))),
    ]
    return all(_is_words(one, depth - 1) for one in inner)


def _blocks(value: object, depth: int) -> Iterator[str]:
    for block in _listed(value):
        if depth and _is_object(block) and (told := _block(block, depth - 1)):
            yield told


def _block(block: Mapping[str, Any], depth: int) -> str:
    kind = block.get("type")
    tell = _KINDS.get(kind) if isinstance(kind, str) else None
    if tell is not None:
        return tell(block, depth)
    caption = block.get("caption")
    told = _text(caption.get("text") if _is_object(caption) else None, depth)
    name = str(kind).replace("_", " ") if isinstance(kind, str) else "content"
    return f"[{name}: {told}]" if told else f"[{name}]"


def _heading(block: Mapping[str, Any], depth: int) -> str:
    size = block.get("size")
    level = size if isinstance(size, int) and 1 <= size <= 6 else 1
    return f"{'#' * level} {_text(block.get('text'), depth)}"


def _list(block: Mapping[str, Any], depth: int) -> str:
    lines: list[str] = []
    for item in _listed(block.get("items")):
        if not _is_object(item):
            continue
        label = item.get("label")
        mark = label if isinstance(label, str) and label not in ("", "•") else "-"
        box = "" if item.get("has_checkbox") is not True else "[ ] "
        box = "[x] " if box and item.get("is_checked") is True else box
        told = "\n".join(_blocks(item.get("blocks"), depth)).replace("\n", "\n  ")
        lines.append(f"{mark} {box}{told}")
    return "\n".join(lines)


def _table(block: Mapping[str, Any], depth: int) -> str:
    rows = [row for row in _listed(block.get("cells")) if _is_list(row)]
    told = (
        " | ".join(_text(cell.get("text"), depth) if _is_object(cell) else "" for cell in row)
        for row in rows
    )
    return "\n".join([*told, *filter(None, (_text(block.get("caption"), depth),))])


def _quote(block: Mapping[str, Any], depth: int) -> str:
    told = "\n".join(_blocks(block.get("blocks"), depth)) or _text(block.get("text"), depth)
    credit = _text(block.get("credit"), depth)
    return "> " + "\n".join(filter(None, (told, credit))).replace("\n", "\n> ")


def _details(block: Mapping[str, Any], depth: int) -> str:
    told = (_text(block.get("summary"), depth), *_blocks(block.get("blocks"), depth))
    return "\n".join(filter(None, told))


def _text(value: object, depth: int) -> str:
    """Returns the words of a RichText: a string, a list of them, or an object with a type."""
    if isinstance(value, str):
        return value
    if not depth:
        return ""
    if _is_list(value):
        return "".join(_text(one, depth - 1) for one in value)
    if not _is_object(value):
        return ""
    for name in ("expression", "alternative_text"):
        if isinstance(value.get(name), str):
            return str(value[name])
    inner = _text(value.get("text"), depth - 1)
    kind, url = value.get("type"), value.get("url")
    if kind == "url" and isinstance(url, str) and url not in (inner, f"https://{inner}"):
        return f"{inner} ({url})"
    mark = _MARKS.get(kind, "") if isinstance(kind, str) and inner.strip() else ""
    return f"{mark}{inner}{mark}"


def _lines(block: Mapping[str, Any], depth: int) -> str:
    return _text(block.get("text"), depth)


_KINDS: dict[str, Callable[[Mapping[str, Any], int], str]] = {
    "paragraph": _lines,
    "heading": _heading,
    "pre": lambda block, depth: f"```\n{_lines(block, depth)}\n```",
    "footer": _lines,
    "divider": lambda *_: "---",
    "mathematical_expression": lambda block, depth: f"$${_text(block, depth + 1)}$$",
    "anchor": lambda *_: "",
    "list": _list,
    "blockquote": _quote,
    "pullquote": _quote,
    "table": _table,
    "details": _details,
}
"""The kinds of blocks that hold words alone."""


def _listed(value: object) -> Sequence[Any]:
    return value if _is_list(value) else ()


def _is_object(value: object) -> TypeGuard[Mapping[str, Any]]:
    return isinstance(value, dict)


def _is_list(value: object) -> TypeGuard[list[Any]]:
    return isinstance(value, list)
