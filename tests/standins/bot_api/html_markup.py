"""The HTML parse mode."""

import re
from dataclasses import dataclass, field

from tests.standins.bot_api.entity import Entity, utf16_length
from tests.standins.bot_api.link import checked_link, wrong_link
from tests.standins.bot_api.refusal import Refusal, bad_request

_TAG = re.compile(r"<(/?)([a-zA-Z][a-zA-Z0-9-]*)([^<>]*)>")
_ATTRIBUTE = re.compile(r"""([\w-]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+)))?""")
_REFERENCE = re.compile(r"&(lt|gt|amp|quot|#\d{1,7}|#x[0-9a-fA-F]{1,6});")
_NAMED = {"lt": "<", "gt": ">", "amp": "&", "quot": '"'}
_KINDS = {
    "b": "bold",
    "strong": "bold",
    "i": "italic",
    "em": "italic",
    "u": "underline",
    "ins": "underline",
    "s": "strikethrough",
    "strike": "strikethrough",
    "del": "strikethrough",
    "tg-spoiler": "spoiler",
    "span": "spoiler",
    "a": "text_link",
    "code": "code",
    "pre": "pre",
    "blockquote": "blockquote",
    "tg-emoji": "custom_emoji",
}


def parse_html(source: str) -> tuple[str, list[Entity]]:
    """Text and entities of an HTML source; refused where the real service refuses."""
    return _Parser(source).parse()


@dataclass(frozen=True)
class _Open:
    name: str
    offset: int
    attributes: dict[str, str]


@dataclass
class _Parser:
    source: str
    position: int = 0
    text: list[str] = field(default_factory=list)
    length: int = 0
    open: list[_Open] = field(default_factory=list)
    entities: list[Entity] = field(default_factory=list)

    def parse(self) -> tuple[str, list[Entity]]:
        while self.position < len(self.source):
            if self.source[self.position] == "<":
                self._tag()
            else:
                self._character()
        if self.open:
            name = self.open[-1].name
            raise _cannot(f'Can\'t find end tag corresponding to start tag "{name}"')
        return "".join(self.text), sorted(self.entities, key=lambda e: (e.offset, -e.length))

    def _character(self) -> None:
        reference = _REFERENCE.match(self.source, self.position)
        shown = _referred(reference.group(1)) if reference else self.source[self.position]
        self.position = reference.end() if reference else self.position + 1
        self.text.append(shown)
        self.length += utf16_length(shown)

    def _tag(self) -> None:
        at = len(self.source[: self.position].encode("utf-8", "surrogatepass"))
        tag = _TAG.match(self.source, self.position)
        if tag is None:
            rest = re.match(r"<([^\s<>/]*)", self.source[self.position :])
            name = rest.group(1) if rest else ""
            raise _cannot(f'Unsupported start tag "{name}" at byte offset {at}')
        self.position = tag.end()
        name = tag.group(2).lower()
        if tag.group(1):
            self._close(name, at)
        elif name in _KINDS:
            self.open.append(_Open(name, self.length, _attributes(tag.group(3))))
        else:
            raise _cannot(f'Unsupported start tag "{name}" at byte offset {at}')

    def _close(self, name: str, at: int) -> None:
        if not self.open:
            raise _cannot(f"Unexpected end tag at byte offset {at}")
        opened = self.open.pop()
        if opened.name != name:
            raise _cannot(
                f'Unmatched end tag at byte offset {at}, expected "</{opened.name}>", '
                f'found "</{name}>"'
            )
        entity = self._entity(opened)
        if entity is not None and entity.length:
            self.entities.append(entity)

    def _entity(self, opened: _Open) -> Entity | None:
        kind, length = _KINDS[opened.name], self.length - opened.offset
        if kind == "text_link":
            url = opened.attributes.get("href") or "".join(self.text)[-length:]
            # A link that leads nowhere loses its target, not its text.
            if wrong_link(url):
                return None
            return Entity(kind, opened.offset, length, url=checked_link(url))
        if kind == "blockquote" and "expandable" in opened.attributes:
            kind = "expandable_blockquote"
        if kind == "custom_emoji":
            emoji = opened.attributes.get("emoji-id", "")
            return Entity(kind, opened.offset, length, custom_emoji_id=emoji)
        if opened.name == "code" and self.open and self.open[-1].name == "pre":
            return None
        language = opened.attributes.get("language") if kind == "pre" else None
        return Entity(kind, opened.offset, length, language=language)


def _attributes(source: str) -> dict[str, str]:
    return {
        found.group(1).lower(): next((g for g in found.groups()[1:] if g is not None), "")
        for found in _ATTRIBUTE.finditer(source)
    }


def _referred(name: str) -> str:
    if name in _NAMED:
        return _NAMED[name]
    return chr(int(name[2:], 16) if name[1] == "x" else int(name[1:]))


def _cannot(reason: str) -> Refusal:
    return bad_request(f"can't parse entities: {reason}")
