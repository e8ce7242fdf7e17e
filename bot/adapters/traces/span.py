"""A span as a value, and the ids that a turn gives to its spans.

The ids are made of the ids of rows. So a turn that goes on after a restart, or in another process,
has one trace, and a line of the log can name it without knowing of any span.
"""

from collections.abc import Mapping
from datetime import datetime
from hashlib import sha256
from typing import TypeAlias

from bot.domain.value import field, frozen

Value: TypeAlias = str | int | float | bool | tuple[str, ...]


@frozen
class Span:
    """Something that took time in a turn; `key` tells it from others of its turn."""

    turn: str
    key: str
    name: str
    began: datetime
    ended: datetime
    parent: str | None = ""
    """The key of the span around it; empty for the turn itself, None for the turn's own span."""
    values: Mapping[str, Value] = field(default_factory=dict[str, Value])
    fault: str = ""
    """The kind of the fault that it ended with."""
    client: bool = False
    """True for a call of another program."""


def trace_id(turn: str) -> int:
    """Returns the id of a turn's trace, which is never 0."""
    return int.from_bytes(sha256(f"trace {turn}".encode()).digest()[:16], "big") or 1


def trace_name(turn: str) -> str:
    """Returns the same id as collectors write it."""
    return f"{trace_id(turn):032x}"


def span_id(turn: str, key: str) -> int:
    return int.from_bytes(sha256(f"span {turn} {key}".encode()).digest()[:8], "big") or 1
