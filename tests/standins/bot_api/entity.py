"""Entities of a text and the rules the service applies to a list of them.

Offsets and lengths are UTF-16 code units throughout.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import Any

from tests.standins.bot_api.link import checked_link
from tests.standins.bot_api.refusal import bad_request

MAX_ENTITIES = 100
_SPLITTABLE = frozenset({"bold", "italic", "underline", "strikethrough", "spoiler"})
_CODE = frozenset({"pre", "code"})
_QUOTES = frozenset({"blockquote", "expandable_blockquote"})
# What the service finds by itself in any text; accepted in a list, and of no consequence.
_FOUND = frozenset({"mention", "hashtag", "cashtag", "bot_command", "url", "email", "phone_number"})
_TYPES = _SPLITTABLE | _CODE | _QUOTES | _FOUND | {"text_link", "text_mention", "custom_emoji"}
_LARGEST_OFFSET = 1_000_000


@dataclass(frozen=True)
class Entity:
    type: str
    offset: int
    length: int
    url: str | None = None
    language: str | None = None
    custom_emoji_id: str | None = None
    user_id: int | None = None

    @property
    def end(self) -> int:
        return self.offset + self.length

    def to_json(self) -> dict[str, Any]:
        answer: dict[str, Any] = {"type": self.type, "offset": self.offset, "length": self.length}
        for name in ("url", "language", "custom_emoji_id"):
            if (value := getattr(self, name)) is not None:
                answer[name] = value
        if self.user_id is not None:
            answer["user"] = {"id": self.user_id, "is_bot": False, "first_name": "User"}
        return answer


def utf16_length(text: str) -> int:
    return len(text) + sum(1 for character in text if ord(character) > 0xFFFF)


def utf16_offsets(text: str) -> list[int]:
    """Offset of each code point, and the offset of the end."""
    return list(accumulate((2 if ord(character) > 0xFFFF else 1 for character in text), initial=0))


def parse_entities(items: object) -> list[Entity]:
    """Read a list of MessageEntity objects; at most 100 count, unreadable ones are refused."""
    if not isinstance(items, list):
        raise bad_request("can't parse entities: expected an Array of MessageEntity")
    entities = [_parse_entity(item) for item in items[:MAX_ENTITIES]]
    return [entity for entity in entities if entity.length > 0]


def _parse_entity(item: object) -> Entity:
    if not isinstance(item, Mapping):
        raise bad_request("can't parse MessageEntity: expected an Object")
    kind = item.get("type")
    if kind not in _TYPES:
        raise bad_request("can't parse MessageEntity: Unsupported type specified")
    offset, length = _number(item, "offset"), _number(item, "length")
    if not 0 <= offset <= _LARGEST_OFFSET:
        raise bad_request(f"receive an entity with incorrect offset {offset}")
    if not 0 <= length <= _LARGEST_OFFSET:
        raise bad_request(f"receive an entity with incorrect length {length}")
    entity = Entity(str(kind), offset, length)
    if kind == "text_link":
        return replace(entity, url=checked_link(_text(item, "url")))
    if kind == "custom_emoji":
        return replace(entity, custom_emoji_id=_text(item, "custom_emoji_id"))
    if kind == "text_mention":
        user = item.get("user")
        return replace(entity, user_id=_number(user if isinstance(user, Mapping) else {}, "id"))
    return replace(entity, language=item.get("language") or None)


def _number(item: Mapping[str, object], name: str) -> int:
    value = item.get(name)
    if isinstance(value, bool) or not isinstance(value, int):
        raise bad_request(f'can\'t parse MessageEntity: Field "{name}" must be of type Number')
    return value


def _text(item: Mapping[str, object], name: str) -> str:
    value = item.get(name)
    if not isinstance(value, str):
        raise bad_request(f"can't parse MessageEntity: Can't find field \"{name}\"")
    return value


def check_borders(text: str, entities: Iterable[Entity]) -> None:
    """Refuse entities that leave the text or begin or end inside a surrogate pair."""
    offsets = utf16_offsets(text)
    borders, end = set(offsets), offsets[-1]
    for entity in entities:
        if entity.offset >= end:
            raise bad_request(
                "entity begins after the end of the text at UTF-16 offset " + str(entity.offset)
            )
        if entity.offset not in borders:
            position = _byte_offset(text, offsets, entity.offset)
            raise bad_request(
                f"entity begins in a middle of a UTF-16 symbol at byte offset {position}"
            )
        begin = f"entity beginning at UTF-16 offset {entity.offset} ends"
        if entity.end > end:
            raise bad_request(f"{begin} after the end of the text at UTF-16 offset {entity.end}")
        if entity.end not in borders:
            position = _byte_offset(text, offsets, entity.end)
            raise bad_request(f"{begin} in a middle of a UTF-16 symbol at byte offset {position}")


def _byte_offset(text: str, offsets: list[int], inside: int) -> int:
    index = next(i for i, offset in enumerate(offsets) if offset > inside)
    return len(text[:index].encode())


def settle(entities: Iterable[Entity]) -> tuple[Entity, ...]:
    """Sort entities and resolve overlaps as the service does, without a word to the sender.

    Links, code and the like never share a character: the first stays. Styles are split where
    they cross another entity, and cut out of code.
    """
    ordered = sorted(entities, key=_outer_first)
    quotes = _apart(entity for entity in ordered if entity.type in _QUOTES)
    solid = _apart(
        entity
        for entity in ordered
        if entity.type not in _SPLITTABLE | _QUOTES
        and not any(_crossing(entity, quote) for quote in quotes)
    )
    codes = [entity for entity in solid if entity.type in _CODE]
    styles = [
        piece
        for entity in ordered
        if entity.type in _SPLITTABLE
        for piece in _outside(entity, codes)
    ]
    return tuple(sorted(_nested(quotes + solid, styles), key=_outer_first))


def _outer_first(entity: Entity) -> tuple[int, int]:
    return (entity.offset, -entity.length)


def _apart(entities: Iterable[Entity]) -> list[Entity]:
    kept: list[Entity] = []
    for entity in entities:
        if not kept or entity.offset >= kept[-1].end:
            kept.append(entity)
    return kept


def _crossing(entity: Entity, other: Entity) -> int | None:
    """Where the border of `other` cuts an entity that overlaps it in part."""
    if other.offset < entity.offset < other.end < entity.end:
        return other.end
    if entity.offset < other.offset < entity.end < other.end:
        return other.offset
    return None


def _span(entity: Entity, begin: int, end: int) -> Entity:
    return replace(entity, offset=begin, length=end - begin)


def _outside(entity: Entity, codes: Iterable[Entity]) -> list[Entity]:
    begin, pieces = entity.offset, []
    for code in codes:
        if code.end > begin and code.offset < entity.end:
            pieces.append(_span(entity, begin, max(begin, code.offset)))
            begin = code.end
    pieces.append(_span(entity, begin, max(begin, entity.end)))
    return [piece for piece in pieces if piece.length > 0]


def _nested(fixed: list[Entity], styles: list[Entity]) -> list[Entity]:
    kept, waiting = list(fixed), list(styles)
    while waiting:
        style = waiting.pop(0)
        cut = next((at for other in kept if (at := _crossing(style, other)) is not None), None)
        if cut is not None:
            waiting = [_span(style, style.offset, cut), _span(style, cut, style.end), *waiting]
        elif not any(_repeats(style, other) for other in kept):
            kept.append(style)
    return kept


def _repeats(style: Entity, other: Entity) -> bool:
    return other.type == style.type and other.offset <= style.offset and style.end <= other.end
