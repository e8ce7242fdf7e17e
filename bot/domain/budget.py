"""Every number that bounds a turn, in one place; each can be set."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds of a turn. Times in seconds, sizes in bytes of UTF-8, shares as fractions."""

    soft_rounds: int = 12
    max_rounds: int = 20
    calls_per_round: int = 16
    calls_per_turn: int = 80
    turn_seconds: float = 1800.0
    tools_seconds: float = 120.0
    tool_seconds: float = 60.0
    result_bytes: int = 30_000
    round_bytes: int = 200_000
    repeat_calls: int = 3
    repeat_grant: int = 3
    same_error_hint: int = 2
    same_error_stop: int = 3
    empty_retries: int = 2
    pauses: int = 5
    attempts: int = 3
    plan_steps: int = 50
    plan_rounds: int = 8
    plan_calls: int = 20
    pipeline_depth: int = 5
    compact_at: float = 0.9
    compact_to: float = 0.5
    images_in_view: int = 20
    approval_hours: float = 24.0
    card_seconds: float = 600.0


@dataclass(frozen=True, slots=True)
class ModelTimes:
    """How long a model call may take and how it is tried again; all in seconds."""

    connect_seconds: float = 5.0
    first_byte_seconds: float = 60.0
    silence_seconds: float = 60.0
    call_seconds: float = 600.0
    retries: int = 4
    backoff_seconds: float = 1.0
    backoff_max_seconds: float = 60.0


@dataclass(frozen=True, slots=True)
class Rate:
    """So many in so many seconds."""

    count: int
    seconds: float


@dataclass(frozen=True, slots=True)
class SendRates:
    """What a channel may send: to one chat, to one group, in all; None means no bound."""

    chat: Rate | None = Rate(1, 1.0)
    group: Rate | None = Rate(20, 60.0)
    all: Rate | None = Rate(30, 1.0)


@dataclass(frozen=True, slots=True)
class BundleBounds:
    """How long a message in fragments is waited for after its last one, and what one may hold."""

    seconds: float = 1.5
    messages: int = 50
    characters: int = 200_000


@dataclass(frozen=True, slots=True)
class EnclosureBounds:
    """Bytes of one file that is fetched, and seconds for all files of a message together."""

    bytes: int = 20 * 1024 * 1024
    seconds: float = 90.0


@dataclass(frozen=True, slots=True)
class ReadingBounds:
    """What reading one file may take; `at_once` is how many are read side by side.

    `memory` in bytes, `seconds` from its start to its end, `cpu_seconds` of the processor.
    """

    memory: int = 768_000_000
    seconds: float = 30.0
    cpu_seconds: int = 20
    at_once: int = 2
