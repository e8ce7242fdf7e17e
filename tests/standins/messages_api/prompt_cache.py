"""Counts what of a prompt is read from, and what is written to, the prompt cache."""

from collections.abc import Iterator
from dataclasses import dataclass

from tests.standins.messages_api.model_profiles import ModelProfile
from tests.standins.messages_api.wire import (
    Json,
    canonical,
    content_blocks,
    digest,
    tokens,
    unmarked,
)

_LOOK_BACK = 20


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one reply, or of many added up."""

    input_tokens: int = 0
    cache_creation_input_tokens: int = 0
    cache_read_input_tokens: int = 0
    output_tokens: int = 0

    def __add__(self, other: "Usage") -> "Usage":
        """Add field by field."""
        return Usage(
            self.input_tokens + other.input_tokens,
            self.cache_creation_input_tokens + other.cache_creation_input_tokens,
            self.cache_read_input_tokens + other.cache_read_input_tokens,
            self.output_tokens + other.output_tokens,
        )

    @property
    def cached_share(self) -> float:
        """The share of all input tokens that came from the cache, 0 to 1."""
        written = self.input_tokens + self.cache_creation_input_tokens
        return self.cache_read_input_tokens / max(1, written + self.cache_read_input_tokens)


@dataclass(frozen=True, slots=True)
class _Piece:
    """One cacheable element of the prompt."""

    text: str
    size: int
    marked: bool


class PromptCache:
    """Holds the prefixes that were cached; entries never expire."""

    def __init__(self) -> None:
        self._prefixes: set[str] = set()

    def account(self, body: Json, profile: ModelProfile, total: int) -> Usage:
        """Split the prompt's total tokens into read, written and plain, and cache its marks."""
        chain, size = digest(profile.name), 0
        prefixes: list[tuple[str, int]] = []
        marks: list[int] = []
        for position, piece in enumerate(_pieces(body)):
            chain, size = digest(chain, piece.text), size + piece.size
            prefixes.append((chain, tokens(size)))
            if piece.marked:
                marks.append(position)
        if body.get("cache_control") and len(prefixes) - 1 not in marks:
            marks.append(len(prefixes) - 1)
        marks = [mark for mark in marks if prefixes[mark][1] >= profile.cacheable_minimum]
        read = max((self._read(prefixes, mark) for mark in marks), default=0)
        end = prefixes[marks[-1]][1] if marks else 0
        self._prefixes.update(prefixes[mark][0] for mark in marks)
        return Usage(max(0, total - end), end - read, read)

    def _read(self, prefixes: list[tuple[str, int]], mark: int) -> int:
        for position in range(mark, max(-1, mark - _LOOK_BACK), -1):
            chain, size = prefixes[position]
            if chain in self._prefixes:
                return size
        return 0


def _pieces(body: Json) -> Iterator[_Piece]:
    for part in (body.get("tools") or [], content_blocks(body.get("system") or "")):
        for block in part:
            text = canonical(unmarked(block))
            yield _Piece(text, len(text.encode()), bool(block.get("cache_control")))
    # Another tool choice or thinking mode keeps tools and system cached, but not the messages.
    settings = canonical([body.get("tool_choice"), body.get("thinking")])
    for message in body["messages"]:
        wrapper = len(canonical({"role": message["role"], "content": []})) + 1
        for block in content_blocks(message["content"]):
            text = canonical(unmarked(block))
            yield _Piece(
                canonical([settings, message["role"], text]),
                wrapper + len(text.encode()),
                bool(block.get("cache_control")),
            )
            wrapper = 1
