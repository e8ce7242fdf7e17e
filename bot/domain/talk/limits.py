"""Upper bounds of turns, model calls and channels: rounds, times, sizes, rates; each a setting."""

from dataclasses import dataclass
from datetime import timedelta


@dataclass(frozen=True, slots=True)
class Limits:
    """The bounds of a turn."""

    soft_rounds: int = 12
    """Rounds after which the model is asked for its answer."""
    max_rounds: int = 20
    """Rounds after which the turn ends."""
    calls_per_round: int = 16
    """Tool calls of one reply that may run."""
    calls_per_turn: int = 80
    """Tool calls of one turn that may run."""
    turn_seconds: float = 1800.0
    """Seconds of work in a turn; waiting for people does not count."""
    tools_seconds: float = 120.0
    """Seconds for the tools of one round together."""
    tool_seconds: float = 60.0
    """Seconds for one tool call, unless the tool names its own bound."""
    result_bytes: int = 30_000
    """Bytes of UTF-8 that the model reads of one result."""
    round_bytes: int = 200_000
    """Bytes of UTF-8 that the model reads of all results of one round."""
    repeat_calls: int = 3
    """Equal calls with equal results after which a person is asked."""
    repeat_grant: int = 3
    """Further repeats that one approval allows."""
    same_error_hint: int = 2
    """Rounds with the same error after which the result carries a hint."""
    same_error_stop: int = 3
    """Rounds with the same error after which the turn ends."""
    empty_retries: int = 2
    """Empty replies in a row that are tried again."""
    pauses: int = 5
    """Pauses by the provider in one turn."""
    attempts: int = 3
    """Failed starts of a turn after which it rests."""
    counted_after_seconds: float = 3.0
    """Seconds that a step has to live until the death of the program counts as a failed start."""
    rest_minutes: tuple[float, ...] = (1.0, 5.0, 15.0, 60.0)
    """Minutes of each rest; after the last one a further failure ends the turn."""
    plan_steps: int = 50
    """Steps that a plan may have."""
    plan_rounds: int = 8
    """Rounds that a plan's turn has beyond one for each step."""
    plan_calls: int = 20
    """Calls that a plan's turn has beyond two for each step."""
    errands: int = 4
    """Errands that one turn may send out."""
    errand_rounds: int = 12
    """Rounds after which an errand is asked for its answer."""
    pipeline_depth: int = 5
    """Times that one skill may hand over to another in one turn."""
    compact_at: float = 0.9
    """The share of the model's window at which the view is cut."""
    compact_to: float = 0.5
    """The share of the window that remains after a cut."""
    images_in_view: int = 20
    """Pictures that the model sees at once."""
    approval_hours: float = 24.0
    """Hours until an open card expires."""
    card_seconds: float = 600.0
    """Seconds in which a card must reach a screen."""


@dataclass(frozen=True, slots=True)
class ModelTimes:
    """The bounds of one model call and of its retries, in seconds."""

    connect_seconds: float = 5.0
    first_byte_seconds: float = 60.0
    silence_seconds: float = 60.0
    call_seconds: float = 600.0
    retries: int = 4
    backoff_seconds: float = 1.0
    backoff_max_seconds: float = 60.0


@dataclass(frozen=True, slots=True)
class Rate:
    """A number of messages in a number of seconds."""

    count: int
    seconds: float


@dataclass(frozen=True, slots=True)
class SendRates:
    """The rates for sending; None means no bound."""

    chat: Rate | None = Rate(1, 1.0)
    """Messages to one chat."""
    group: Rate | None = Rate(20, 60.0)
    """Messages to one group, beside the rate of a chat."""
    all: Rate | None = Rate(30, 1.0)
    """Messages to all chats together."""
    burst: int = 3
    """Messages that one chat may get at once after a pause; then its rate holds."""


@dataclass(frozen=True, slots=True)
class BundleBounds:
    """The bounds of a message in fragments; `seconds` is the wait for more after each one."""

    seconds: float = 1.5
    messages: int = 50
    characters: int = 200_000


@dataclass(frozen=True, slots=True)
class EnclosureBounds:
    """The bounds of fetching: bytes of one file, and seconds for all files of a message."""

    bytes: int = 20 * 1024 * 1024
    seconds: float = 90.0


@dataclass(frozen=True, slots=True)
class InboxBounds:
    """The bounds of the folder for files that people send, in each workspace.

    It holds so many `files` and `bytes`. A file is deleted after `days`; 0 means never.
    """

    files: int = 500
    bytes: int = 1_000_000_000
    days: int = 30


@dataclass(frozen=True, slots=True)
class UndoBounds:
    """The bounds of old contents of files, by which changes are taken back.

    Each is kept for `days`, 0 keeps none; those of one chat have at most so many `bytes`.
    """

    days: int = 1
    bytes: int = 20_000_000


@dataclass(frozen=True, slots=True)
class ReadingBounds:
    """The bounds of reading one file; `at_once` files are read side by side.

    `memory` in bytes, `seconds` from its start to its end, `cpu_seconds` of the processor.
    """

    memory: int = 768_000_000
    seconds: float = 30.0
    cpu_seconds: int = 20
    at_once: int = 2


@dataclass(frozen=True, slots=True)
class WebBounds:
    """The bounds of fetching pages of the web."""

    bytes: int = 5_000_000
    """Bytes of one page, packed and unpacked."""
    seconds: float = 30.0
    """Seconds from the first look-up to the last byte, redirects included."""
    redirects: int = 5
    """Redirects that are followed."""
    at_once: int = 8
    """Pages fetched side by side."""


@dataclass(frozen=True, slots=True)
class ScheduleBounds:
    """The bounds of tasks that run at their times."""

    at_once: int = 8
    """Chats in which runs work at the same time; the others wait, and people go first."""
    grace_hours: float = 12.0
    """Hours for which a missed time of a task that repeats is made up for."""
    runs: int = 100
    """Runs of one task in a day, unless the task has a bound of its own."""


@dataclass(frozen=True, slots=True)
class GoalBounds:
    """The bounds that a goal begins with, unless its person changes them."""

    pace: str = "daily"
    """The time between two runs: hourly, daily or weekly."""
    day_dollars: float = 0.5
    """Dollars that the runs of a goal may cost in a day."""
    dollars: float = 5.0
    """Dollars that a goal may cost in all."""
    days: int = 30
    """Days after which a goal is paused."""
    diary_tokens: int = 2_000
    """Tokens of its diary that open a run."""

    @property
    def span(self) -> timedelta:
        """The time after which a goal is paused."""
        return timedelta(days=self.days)
