"""The HTML of rich messages: strict about every tag, its place and the limits.

Stricter than the documentation in one thing: words outside a block, and words beside blocks, are
refused. The words of the refusals are the stand-in's own where no source tells the service's.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from tests.standins.bot_api.link import wrong_link
from tests.standins.bot_api.refusal import Refusal, bad_request

LONGEST, MOST_BLOCKS, DEEPEST, MOST_COLUMNS = 32_768, 500, 16, 20
_TAG = re.compile(r"<(/?)([a-z][a-z0-9-]*)((?:\s+[\w-]+(?:=\"[^\"<>]*\")?)*)\s*/?>")
_ATTRIBUTE = re.compile(r"([\w-]+)(?:=\"([^\"]*)\")?")
_REFERENCE = re.compile(r"&(?:(lt|gt|amp|quot|apos|nbsp)|#(\d{1,7}));")
_NAMED = {"lt": "<", "gt": ">", "amp": "&", "quot": '"', "apos": "'", "nbsp": "\u00a0"}
_VOID = frozenset({"br", "hr", "input"})
STYLES = {"b": "bold", "i": "italic", "s": "strikethrough", "code": "code"}
WORDS = frozenset({*STYLES, "u", "mark", "sub", "sup", "tg-spoiler", "a", "tg-math", "br"})
HEADINGS = {f"h{size}": size for size in range(1, 7)}
BLOCKS = frozenset(
    {*HEADINGS, "p", "pre", "hr", "ul", "ol", "blockquote", "table", "details", "tg-math-block"}
)
_ATTRIBUTES = {
    "a": {"href"},
    "code": {"class"},
    "ol": {"start"},
    "input": {"type", "checked"},
    "table": {"bordered", "striped"},
    "th": {"align"},
    "td": {"align"},
    "details": {"open"},
}
_COUNTED = BLOCKS | {"li", "tr"}


@dataclass
class Part:
    """A tag with its inside, or the root of all."""

    tag: str
    marks: dict[str, str] = field(default_factory=dict[str, str])
    inside: "list[Part | str]" = field(default_factory=list["Part | str"])

    @property
    def parts(self) -> "list[Part]":
        return [one for one in self.inside if isinstance(one, Part)]

    def has_only(self, tags: frozenset[str]) -> bool:
        """Whether its inside has these tags and no words beside them."""
        return len(self.parts) == len(self.inside) and all(p.tag in tags for p in self.parts)

    def has_words_only(self) -> bool:
        return all(part.tag in WORDS for part in self.parts)


def parse_html(html: str) -> Part:
    """Read the HTML of a rich message; refused where the real service would, or might."""
    root = _parsed(html)
    for part in walk(root):
        _check(part)
    _check_limits(root)
    return root


def _parsed(html: str) -> Part:
    root = Part("")
    open_parts, position = [root], 0
    while position < len(html):
        if html[position] != "<":
            text, position = _character(html, position)
            _add(open_parts[-1], text)
            continue
        tag = _TAG.match(html, position)
        if tag is None:
            raise _cannot(f"unsupported start tag at offset {position}")
        position = tag.end()
        closing, name, marks = tag.group(1), tag.group(2), dict(_ATTRIBUTE.findall(tag.group(3)))
        if closing:
            if open_parts[-1].tag != name:
                raise _cannot(f"unmatched end tag {name}")
            open_parts.pop()
            continue
        part = Part(name, {key: _unescaped(value) for key, value in marks.items()})
        open_parts[-1].inside.append(part)
        if name not in _VOID:
            open_parts.append(part)
    if len(open_parts) > 1:
        raise _cannot(f"can't find the end tag of {open_parts[-1].tag}")
    return root


def _add(part: Part, text: str) -> None:
    if part.inside and isinstance(part.inside[-1], str):
        part.inside[-1] += text
    else:
        part.inside.append(text)


def _character(html: str, position: int) -> tuple[str, int]:
    if html[position] != "&":
        return html[position], position + 1
    reference = _REFERENCE.match(html, position)
    if reference is None:
        raise _cannot("unsupported reference")
    return _referred(reference), reference.end()


def _referred(reference: re.Match[str]) -> str:
    return _NAMED[reference.group(1)] if reference.group(1) else chr(int(reference.group(2)))


def _unescaped(value: str) -> str:
    return _REFERENCE.sub(_referred, value)


def _check(part: Part) -> None:
    """Every tag is known, has only its attributes, and holds only what may stand in it."""
    if part.tag not in _INSIDES:
        raise _cannot(f"unsupported tag {part.tag}")
    unknown = set(part.marks) - _ATTRIBUTES.get(part.tag, set[str]())
    if unknown:
        raise _cannot(f"attribute {unknown} of {part.tag}")
    if not _INSIDES[part.tag](part):
        raise _cannot(f"wrong inside of {part.tag or 'the message'}")


def _has_words(part: Part) -> bool:
    return part.has_words_only() and bool(part.inside)


def _is_item(part: Part) -> bool:
    rest = part.inside
    if rest and isinstance(rest[0], Part) and rest[0].tag == "input":
        rest = rest[1:]
    inner = Part("", inside=rest)
    return bool(rest) and (inner.has_words_only() or inner.has_only(BLOCKS))


def _is_details(part: Part) -> bool:
    first, *rest = part.inside or [""]
    opened = isinstance(first, Part) and first.tag == "summary"
    return opened and Part("", inside=rest).has_only(BLOCKS)


def _is_row(part: Part) -> bool:
    return part.has_only(frozenset({"th", "td"})) and len(part.parts) <= MOST_COLUMNS


_INSIDES: dict[str, Callable[[Part], bool]] = {
    "": lambda part: part.has_only(BLOCKS),
    "blockquote": lambda part: bool(part.inside) and part.has_only(BLOCKS),
    "details": _is_details,
    "ul": lambda part: bool(part.inside) and part.has_only(frozenset({"li"})),
    "ol": lambda part: bool(part.inside) and part.has_only(frozenset({"li"})),
    "li": _is_item,
    "table": lambda part: bool(part.inside) and part.has_only(frozenset({"tr"})),
    "tr": _is_row,
    "th": Part.has_words_only,
    "td": Part.has_words_only,
    "pre": lambda part: (
        bool(part.inside) and (not part.parts or part.has_only(frozenset({"code"})))
    ),
    "tg-math": lambda part: bool(part.inside) and not part.parts,
    "tg-math-block": lambda part: bool(part.inside) and not part.parts,
    "a": lambda part: _has_words(part) and not wrong_link(part.marks.get("href", "")),
    **dict.fromkeys(_VOID, lambda part: not part.inside),
    **dict.fromkeys((*HEADINGS, *WORDS - {"a", "br", "tg-math"}, "p", "summary"), _has_words),
}


def _check_limits(root: Part) -> None:
    if len(characters(root)) > LONGEST:
        raise bad_request("message is too long")
    if sum(part.tag in _COUNTED for part in walk(root)) > MOST_BLOCKS:
        raise bad_request("rich message has too many blocks")
    if _depth(root) > DEEPEST:
        raise bad_request("rich message is nested too deeply")


def walk(part: Part) -> list[Part]:
    return [part, *(one for inner in part.parts for one in walk(inner))]


def _depth(part: Part) -> int:
    return max((1 + _depth(inner) for inner in part.parts), default=0)


def characters(part: Part) -> str:
    if part.tag == "br":
        return "\n"
    return "".join(one if isinstance(one, str) else characters(one) for one in part.inside)


def _cannot(reason: str) -> Refusal:
    return bad_request(f"can't parse rich message: {reason}")
