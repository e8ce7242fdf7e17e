"""A rich message as the chat shows it, and as an update carries it."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from tests.standins.bot_api.refusal import bad_request
from tests.standins.bot_api.rich_markup import (
    BLOCKS,
    HEADINGS,
    STYLES,
    WORDS,
    Part,
    characters,
    parse_html,
    walk,
)


@dataclass(frozen=True)
class RichContent:
    """A rich message as the chat shows it: one text, the kinds of its blocks, and its JSON."""

    text: str
    html: str
    kinds: tuple[str, ...]
    blocks: tuple[dict[str, Any], ...] = field(compare=False)


def parse_rich(value: object) -> RichContent:
    """Read an InputRichMessage; refused where the real service would, or might."""
    if not isinstance(value, dict):
        raise bad_request("can't parse rich message JSON object")
    unknown = set(value) - {"html", "is_rtl", "skip_entity_detection"}
    html = value.get("html")
    if unknown or not isinstance(html, str):
        raise bad_request("exactly one of html, markdown and blocks must be specified")
    root = parse_html(html)
    text = "\n".join(_line(part) for part in root.parts)
    if not text.strip():
        raise bad_request("RICH_MESSAGE_CONTENT_REQUIRED")
    kinds = tuple(part.tag for part in walk(root) if part.tag not in ("", "br"))
    return RichContent(text, html, kinds, tuple(_block(part) for part in root.parts))


def _line(part: Part) -> str:
    """A part as a person would read it aloud, a line for each block."""
    match part.tag:
        case "ul" | "ol":
            first = int(part.marks.get("start", "1"))
            signs = ["•" if part.tag == "ul" else f"{first + n}." for n in range(len(part.parts))]
            lines = (f"{_box(i) or s} {_line(i)}" for s, i in zip(signs, part.parts, strict=True))
            return "\n".join(lines)
        case "table":
            rows = (" | ".join(characters(cell) for cell in row.parts) for row in part.parts)
            return "\n".join(rows)
        case "li" | "blockquote" | "details" if any(p.tag in BLOCKS for p in part.parts):
            return "\n".join(_line(inner) for inner in part.parts if inner.tag != "input")
        case "hr":
            return "———"
        case _:
            return characters(part)


def _box(item: Part) -> str:
    boxes = [part for part in item.parts if part.tag == "input"]
    return "" if not boxes else "☑" if "checked" in boxes[0].marks else "☐"


def _block(part: Part) -> dict[str, Any]:
    """The block as an update carries it."""
    if part.tag in HEADINGS:
        return {"type": "heading", "text": _words(part), "size": HEADINGS[part.tag]}
    kind, told = _KINDS.get(part.tag, _KINDS["p"])
    return {"type": kind, **told(part)}


_KINDS: dict[str, tuple[str, Callable[[Part], dict[str, Any]]]] = {
    "p": ("paragraph", lambda part: {"text": _words(part)}),
    "hr": ("divider", lambda _: {}),
    "pre": ("pre", lambda part: {"text": characters(part)}),
    "tg-math-block": (
        "mathematical_expression",
        lambda part: {"expression": characters(part)},
    ),
    "ul": ("list", lambda part: {"items": [_item(n, part) for n in range(len(part.parts))]}),
    "ol": ("list", lambda part: {"items": [_item(n, part) for n in range(len(part.parts))]}),
    "table": (
        "table",
        lambda part: {"cells": [[_cell(cell) for cell in row.parts] for row in part.parts]},
    ),
    "blockquote": ("blockquote", lambda part: {"blocks": [_block(one) for one in part.parts]}),
    "details": (
        "details",
        lambda part: {
            "summary": _words(part.parts[0]),
            "blocks": [_block(one) for one in part.parts[1:]],
        },
    ),
}


def _item(number: int, listed: Part) -> dict[str, Any]:
    item = listed.parts[number]
    first = int(listed.marks.get("start", "1"))
    words = item.has_words_only() or all(p.tag in WORDS | {"input"} for p in item.parts)
    inner = [one for one in item.inside if not (isinstance(one, Part) and one.tag == "input")]
    blocks = (
        [{"type": "paragraph", "text": _words(Part("p", inside=inner))}]
        if words
        else [_block(one) for one in item.parts if one.tag != "input"]
    )
    told: dict[str, Any] = {"label": f"{first + number}." if listed.tag == "ol" else "•"}
    if box := _box(item):
        told |= {"has_checkbox": True} | ({"is_checked": True} if box == "☑" else {})
    return told | {"blocks": blocks}


def _cell(cell: Part) -> dict[str, Any]:
    told = {"align": cell.marks.get("align", "left"), "valign": "top", "text": _words(cell)}
    return told | ({"is_header": True} if cell.tag == "th" else {})


def _words(part: Part) -> Any:
    """The words of a part as RichText: a string, a list, or an object with a type."""
    told = [one if isinstance(one, str) else _styled(one) for one in part.inside]
    return told[0] if len(told) == 1 else told


def _styled(part: Part) -> Any:
    match part.tag:
        case "br":
            return "\n"
        case "tg-math":
            return {"type": "mathematical_expression", "expression": characters(part)}
        case "a":
            return {"type": "url", "text": _words(part), "url": part.marks["href"]}
        case tag:
            return {"type": STYLES.get(tag, "marked"), "text": _words(part)}
