"""Turns what a bot sends (text, parse mode, entities) into what the chat shows."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from tests.standins.bot_api.entity import (
    MAX_ENTITIES,
    Entity,
    check_borders,
    settle,
    utf16_length,
    utf16_offsets,
)
from tests.standins.bot_api.html_markup import parse_html
from tests.standins.bot_api.markdown_v2 import parse_markdown_v2
from tests.standins.bot_api.refusal import bad_request

MAX_RAW_BYTES = 1 << 15
_REMOVED = frozenset("\r\u0333\u033f\u030a") | {chr(c) for c in range(0x2028, 0x202F)}
_BLANK = " \n"


@dataclass(frozen=True)
class FormattedText:
    """A text as shown; offsets of its entities are UTF-16 code units."""

    text: str
    entities: tuple[Entity, ...] = ()


def parse_markup(text: str, parse_mode: str) -> tuple[str, list[Entity]]:
    """Apply the parse mode; markup that cannot be parsed is refused."""
    if len(text.encode("utf-8", "surrogatepass")) > MAX_RAW_BYTES:
        raise bad_request("text is too long")
    match parse_mode.lower():
        case "":
            return text, []
        case "markdownv2":
            return parse_markdown_v2(text)
        case "html":
            return parse_html(text)
        case _:
            raise bad_request("unsupported parse_mode")


def formatted(text: str, entities: Sequence[Entity]) -> FormattedText:
    """Check, clean and trim a parsed text, moving its entities along."""
    try:
        text.encode()
    except UnicodeEncodeError:
        raise bad_request("strings must be encoded in UTF-8") from None
    check_borders(text, entities)
    cleaned, entities = _clean(text, list(entities))
    cleaned, entities = _trim(cleaned, entities)
    return FormattedText(cleaned, settle(entities)[:MAX_ENTITIES])


def _clean(text: str, entities: list[Entity]) -> tuple[str, list[Entity]]:
    """Control characters become blanks, invisible line and direction marks vanish."""
    moved = {0: 0}
    kept: list[str] = []
    position = 0
    for offset, character in zip(utf16_offsets(text)[1:], text, strict=True):
        if character not in _REMOVED:
            control = ord(character) < ord(" ") and character != "\n"
            kept.append(" " if control else character)
            position += utf16_length(character)
        moved[offset] = position
    return "".join(kept), [_between(e, moved[e.offset], moved[e.end]) for e in entities]


def _trim(text: str, entities: list[Entity]) -> tuple[str, list[Entity]]:
    """Blanks go at the end always, at the beginning as far as the first entity."""
    text = text.rstrip(_BLANK)
    end = utf16_length(text)
    first = min((entity.offset for entity in entities), default=end)
    lead = min(len(text) - len(text.lstrip(_BLANK)), first)
    spans = [_between(e, e.offset - lead, min(e.end, end) - lead) for e in entities]
    return text[lead:], [span for span in spans if span.length > 0]


def _between(entity: Entity, begin: int, end: int) -> Entity:
    return replace(entity, offset=begin, length=end - begin)
