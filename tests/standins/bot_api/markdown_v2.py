"""The MarkdownV2 parse mode with its escape rule."""

from dataclasses import dataclass, field

from tests.standins.bot_api.entity import Entity, utf16_length
from tests.standins.bot_api.link import checked_link, wrong_link
from tests.standins.bot_api.refusal import Refusal, bad_request

_RESERVED = frozenset("_*[]()~`>#+-=|{}.!")
_MARKS = (
    ("```", "pre", "PreCode"),
    ("__", "underline", "Underline"),
    ("||", "spoiler", "Spoiler"),
    ("_", "italic", "Italic"),
    ("*", "bold", "Bold"),
    ("~", "strikethrough", "Strikethrough"),
    ("`", "code", "Code"),
    ("[", "text_link", "TextUrl"),
)
_NAMES = {kind: name for _, kind, name in _MARKS}
_ENDS = {kind: "]" if mark == "[" else mark for mark, kind, _ in _MARKS}


def parse_markdown_v2(source: str) -> tuple[str, list[Entity]]:
    """Text and entities of a MarkdownV2 source; refused where the real service refuses."""
    return _Parser(source).parse()


@dataclass
class _Open:
    kind: str
    offset: int
    at: int
    language: str | None = None


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
            self._step()
        self._end_quote()
        if self.open:
            raise self._unfinished(self.open[-1])
        return "".join(self.text), sorted(self.entities, key=lambda e: (e.offset, -e.length))

    def _step(self) -> None:
        character = self.source[self.position]
        escaped = self.source[self.position + 1 : self.position + 2]
        if character == "\\" and escaped and 0 < ord(escaped) < 127:
            self._emit(escaped, 2)
        elif self._at_end_of(inner := self.open[-1] if self.open else None):
            assert inner is not None
            self._close(inner)
        elif inner is not None and inner.kind in ("code", "pre"):
            self._emit(character)
        elif character == "\n":
            self._newline()
        elif character not in _RESERVED:
            self._emit(character)
        elif not (self._starts_quote() or self._starts_entity()):
            raise _cannot(
                f"Character '{character}' is reserved and must be escaped with the preceding '\\'"
            )

    def _emit(self, character: str, consumed: int = 1) -> None:
        self.text.append(character)
        self.length += utf16_length(character)
        self.position += consumed

    def _at_end_of(self, inner: _Open | None) -> bool:
        if inner is None or inner.kind not in _ENDS:
            return False
        if inner.kind == "italic" and self.source.startswith("__", self.position):
            return False
        return self.source.startswith(_ENDS[inner.kind], self.position)

    def _close(self, inner: _Open) -> None:
        self.position += len(_ENDS[inner.kind])
        self.open.pop()
        length = self.length - inner.offset
        url = self._target() if inner.kind == "text_link" else None
        if length and (url is not None or inner.kind != "text_link"):
            self.entities.append(Entity(inner.kind, inner.offset, length, url, inner.language))

    def _target(self) -> str | None:
        """Read `(url)`; a target that leads nowhere drops the link and keeps its text."""
        if not self.source.startswith("(", self.position):
            return None
        url: list[str] = []
        at = self.position + 1
        while at < len(self.source) and self.source[at] != ")":
            if self.source[at] == "\\" and at + 1 < len(self.source):
                at += 1
            url.append(self.source[at])
            at += 1
        if at == len(self.source):
            raise _cannot(f"Can't find end of a URL at byte offset {self._bytes(self.position)}")
        self.position = at + 1
        target = "".join(url)
        return None if wrong_link(target) else checked_link(target)

    def _newline(self) -> None:
        quoted = any(entry.kind == "blockquote" for entry in self.open)
        if quoted and self.source[self.position + 1 : self.position + 2] == ">":
            self._emit("\n", 2)
            return
        self._end_quote()
        self._emit("\n")

    def _end_quote(self) -> None:
        if self.open and self.open[-1].kind == "blockquote":
            quote = self.open.pop()
            if self.length > quote.offset:
                self.entities.append(Entity("blockquote", quote.offset, self.length - quote.offset))

    def _starts_quote(self) -> bool:
        first = self.position == 0 or self.source[self.position - 1] == "\n"
        if not first or self.source[self.position] != ">":
            return False
        self.open.append(_Open("blockquote", self.length, self.position))
        self.position += 1
        return True

    def _starts_entity(self) -> bool:
        for mark, kind, _ in _MARKS:
            if self.source.startswith(mark, self.position):
                opened = _Open(kind, self.length, self.position)
                self.position += len(mark)
                if kind == "pre":
                    opened.language = self._language()
                self.open.append(opened)
                return True
        return False

    def _language(self) -> str | None:
        line, newline, _ = self.source[self.position :].partition("\n")
        if not newline or "`" in line or " " in line:
            return None
        self.position += len(line) + 1
        return line or None

    def _unfinished(self, opened: _Open) -> Refusal:
        name = _NAMES.get(opened.kind, "BlockQuote")
        return _cannot(f"Can't find end of {name} entity at byte offset {self._bytes(opened.at)}")

    def _bytes(self, position: int) -> int:
        return len(self.source[:position].encode("utf-8", "surrogatepass"))


def _cannot(reason: str) -> Refusal:
    return bad_request(f"can't parse entities: {reason}")
