"""The JSON shapes that requests and replies share: canonical text, token counts, turns."""

import json
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

Json = dict[str, Any]

BYTES_PER_TOKEN = 4


@dataclass(frozen=True, slots=True)
class Placed:
    """A content block with its role and its place in the request as it was sent."""

    role: str
    message: int
    index: int
    block: Json

    @property
    def path(self) -> str:
        """The block's address as error messages write it."""
        return f"messages.{self.message}.content.{self.index}"

    @property
    def kind(self) -> str:
        """The block's type."""
        return self.block["type"]


@dataclass(frozen=True, slots=True)
class Turn:
    """Consecutive messages of one role, merged; `message` is the place of the first."""

    role: str
    message: int
    blocks: tuple[Placed, ...]


def tokens(size: int) -> int:
    """Count the tokens of a text of so many bytes, rounded up."""
    return -(-size // BYTES_PER_TOKEN)


def canonical(value: object) -> str:
    """Write a JSON value compactly with sorted keys."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), sort_keys=True)


def size(value: object) -> int:
    """Count the bytes of a JSON value in UTF-8; half a surrogate pair counts like a whole one."""
    return len(canonical(value).encode(errors="surrogatepass"))


def digest(*parts: str) -> str:
    """Hash texts so that moving a border between two of them changes the hash."""
    return sha256(json.dumps(parts).encode()).hexdigest()


def unmarked(block: Json) -> Json:
    """Return a block without its cache mark and without absent (null) fields."""
    return {
        key: value for key, value in block.items() if key != "cache_control" and value is not None
    }


def content_blocks(content: str | list[Json]) -> list[Json]:
    """Read message content in either spelling; an empty string holds no block."""
    if isinstance(content, str):
        return [{"type": "text", "text": content}] if content else []
    return content


def placed_blocks(messages: list[Json]) -> list[Placed]:
    """Flatten messages into their content blocks."""
    return [
        Placed(message["role"], position, index, block)
        for position, message in enumerate(messages)
        for index, block in enumerate(content_blocks(message["content"]))
    ]


def turns(messages: list[Json]) -> list[Turn]:
    """Merge neighbouring messages of one role."""
    merged: list[Turn] = []
    for position, message in enumerate(messages):
        blocks = tuple(
            Placed(message["role"], position, index, block)
            for index, block in enumerate(content_blocks(message["content"]))
        )
        if merged and merged[-1].role == message["role"]:
            merged[-1] = Turn(merged[-1].role, merged[-1].message, merged[-1].blocks + blocks)
        else:
            merged.append(Turn(message["role"], position, blocks))
    return merged
