"""Upper bounds of turns, model calls and channels: rounds, times, sizes, rates; each a setting."""

from datetime import timedelta
from typing import Literal

from bot.domain.setting import setting
from bot.domain.talk.keeping import Ageing
from bot.domain.value import frozen

_LONGEST_REST_MINUTES = 10_080


def read_minutes(text: str) -> tuple[float, ...]:
    """Reads `1,5,15,60`; `none` is no number at all."""
    words = () if text.strip().lower() == "none" else text.split(",")
    numbers = tuple(float(word) for word in words)
    if not all(0 < number <= _LONGEST_REST_MINUTES for number in numbers):
        raise ValueError("it should be minutes with commas between them, as in 1,5,15,60")
    return numbers


@frozen
class Limits:
    """The bounds of a turn; bytes are those of UTF-8.

    Money, time, repetition and the window bound a turn first; rounds and calls come last.
    """

    soft_rounds: int = setting(
        60, "Rounds of a turn after which the model is asked to wrap up.", most="max_rounds", ge=1
    )
    max_rounds: int = setting(80, "Rounds after which a turn ends in any case.", ge=1)
    calls_per_round: int = setting(
        16, "Tool calls one reply may make.", most="calls_per_turn", ge=1
    )
    calls_per_turn: int = setting(320, "Tool calls one turn may make.", ge=1)
    turn_seconds: float = setting(
        1800.0, "Working time of a turn; waiting for people does not count.", gt=0
    )
    tools_seconds: float = setting(120.0, "Time of all tools of a round together.", gt=0)
    tool_seconds: float = setting(60.0, "Time of one tool that does not state its own.", gt=0)
    result_bytes: int = setting(
        30_000, "Bytes of one result the model reads.", most="round_bytes", ge=1000
    )
    round_bytes: int = setting(200_000, "Bytes of a round's results together.", ge=1000)
    repeat_calls: int = setting(
        3, "Number of the identical call before which the person is asked.", ge=2
    )
    repeat_grant: int = setting(3, "Identical calls one “Go on” allows.", ge=1)
    same_error_hint: int = setting(
        2, "Equal errors after which the model gets a hint.", most="same_error_stop", ge=1
    )
    same_error_stop: int = setting(3, "Equal errors after which the turn ends.", ge=1)
    empty_retries: int = setting(2, "How often an empty answer of the model is tried again.", ge=0)
    pauses: int = setting(5, "Pauses of the provider that a turn accepts.", ge=0)
    attempts: int = setting(
        3, "Failed starts of a turn without progress before it waits for its new try.", ge=1
    )
    counted_after_seconds: float = setting(
        3.0, "Seconds a step must run before a death of the program counts as a failed start.", gt=0
    )
    rest_minutes: tuple[float, ...] = setting(
        (1.0, 5.0, 15.0, 60.0),
        "Minutes until each new try of a turn that keeps failing, or none for no new try.",
        read=read_minutes,
    )
    """After the last one a further failure ends the turn."""
    plan_steps: int = setting(50, "Steps a plan may have.", ge=1)
    plan_rounds: int = setting(
        8, "Rounds beyond one for each step until a plan is asked to finish.", ge=1
    )
    errands: int = setting(4, "Errands that one turn may send out; 0 turns them off.", ge=0)
    errand_rounds: int = setting(12, "Rounds after which an errand is asked for its answer.", ge=1)
    plan_calls: int = setting(20, "Calls a plan may take beyond two for each step.", ge=0)
    pipeline_depth: int = setting(
        5, "How often in a turn one skill may hand over to the next.", ge=0
    )
    compact_at: float = setting(
        0.9, "Share of the window above which old turns are summarised.", gt=0, lt=1
    )
    compact_to: float = setting(
        0.5, "Share of the window that is left after that.", most="compact_at", gt=0, lt=1
    )
    images_in_view: int = setting(20, "Pictures one request may hold.", ge=0)
    approval_hours: float = setting(
        24.0, "Hours until an open card expires; those of tasks do not expire.", gt=0
    )
    card_seconds: float = setting(
        600.0, "Seconds in which a card must be delivered, or its call is blocked.", gt=0
    )


@frozen
class ModelTimes:
    """The bounds of one model call and of its retries."""

    connect_seconds: float = setting(5.0, "Seconds to reach the model's provider.", gt=0)
    first_byte_seconds: float = setting(60.0, "Seconds until the model's first byte.", gt=0)
    silence_seconds: float = setting(60.0, "Seconds a model may be silent within its reply.", gt=0)
    call_seconds: float = setting(600.0, "Seconds of a model call in all.", gt=0)
    retries: int = setting(4, "How often a failed model call is tried again.", ge=0)
    backoff_seconds: float = setting(
        1.0,
        "Seconds before the first new try; each later wait doubles.",
        most="model_backoff_max_seconds",
        gt=0,
    )
    backoff_max_seconds: float = setting(
        60.0, "The longest wait before a new try, in seconds.", gt=0
    )


@frozen
class Rate:
    """A number of messages in a number of seconds."""

    count: int
    seconds: float


@frozen
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


@frozen
class BundleBounds:
    """The bounds of a message in fragments."""

    seconds: float = setting(
        1.5, "Seconds to wait for the next piece of a message that comes in pieces.", ge=0, le=60
    )
    messages: int = setting(50, "Pieces that one message may have.", ge=1, le=90)
    characters: int = setting(200_000, "Characters such a message may have in all.", ge=4096)


@frozen
class EnclosureBounds:
    """The bounds of fetching the files of a message."""

    bytes: int = setting(20 * 1024 * 1024, "Bytes of one file that is fetched.", ge=1000)
    seconds: float = setting(90.0, "Seconds to fetch, keep and read all files of a message.", gt=0)


@frozen
class InboxBounds:
    """The bounds of the folder for files that people send, in each workspace."""

    files: int = setting(500, "Files that inbox/ of a workspace may hold.", ge=1)
    bytes: int = setting(1_000_000_000, "Bytes that inbox/ of a workspace may hold.", ge=1000)
    days: int = setting(
        30, "Days after which files that people sent are deleted; 0 keeps them.", ge=0
    )


@frozen
class UndoBounds:
    """The bounds of old contents of files, by which changes are taken back."""

    days: int = setting(
        1, "Days in which changes of files can be undone; 0 keeps no old contents.", ge=0
    )
    bytes: int = setting(20_000_000, "Bytes of old contents that are kept for each chat.", ge=1000)


@frozen
class KeepBounds:
    """The days for which things are kept that are not kept for ever; 0 keeps them."""

    updates_days: int = setting(
        90,
        "Days after which the platform's own form of answered messages is deleted; 0 keeps it.",
        ge=0,
    )
    presses_days: int = setting(
        30, "Days after which presses and unanswered group talk are deleted; 0 keeps them.", ge=0
    )
    record_days: int = setting(
        365, "Days after which the record of calls loses their inputs; 0 keeps them.", ge=0
    )
    rounds_days: int = setting(
        90, "Days after which the records of single rounds are deleted; 0 keeps them.", ge=0
    )
    runs_days: int = setting(
        400, "Days after which runs of tasks and calls of hooks are deleted; 0 keeps them.", ge=0
    )
    tool_messages_days: int = setting(
        90, "Days after which messages that /verbose showed are deleted; 0 keeps them.", ge=0
    )
    files_days: int = setting(
        30, "Days after which copies of files that Steward sent are deleted; 0 keeps them.", ge=0
    )

    def of(self, passing: Ageing) -> int:
        """Returns the days for a kind of rows."""
        match passing:
            case Ageing.UPDATES:
                return self.updates_days
            case Ageing.PRESSES:
                return self.presses_days
            case Ageing.RECORD:
                return self.record_days
            case Ageing.ROUNDS:
                return self.rounds_days
            case Ageing.RUNS | Ageing.HOOK_CALLS:
                return self.runs_days
            case Ageing.TOOL_MESSAGES:
                return self.tool_messages_days


@frozen
class ReadingBounds:
    """The bounds of reading one file."""

    memory: int = setting(
        768_000_000, "Bytes of memory of the process that reads one file.", ge=64_000_000
    )
    seconds: float = setting(30.0, "Seconds reading one file may take.", gt=0)
    cpu_seconds: int = setting(20, "Seconds of the processor reading one file may take.", ge=1)
    at_once: int = setting(2, "Files read side by side.", ge=1)


@frozen
class WebBounds:
    """The bounds of fetching pages of the web; bytes count both packed and unpacked."""

    bytes: int = setting(5_000_000, "Bytes of one page that is fetched.", ge=1000)
    seconds: float = setting(
        30.0, "Seconds that fetching one page may take, redirects included.", gt=0
    )
    redirects: int = setting(5, "Redirects that are followed.", ge=0)
    at_once: int = setting(8, "Pages fetched side by side.", ge=1)


@frozen
class ScheduleBounds:
    """The bounds of tasks that run at their times."""

    at_once: int = setting(
        8, "Chats in which tasks run at once; others wait, people come first.", ge=1
    )
    grace_hours: float = setting(
        12.0, "Hours after which a missed time of a repeating task is left out.", ge=0
    )
    runs: int = setting(
        100, "Runs of one task in a day; a task can have a smaller limit of its own.", ge=1
    )


@frozen
class GoalBounds:
    """The bounds that a goal begins with, unless its person changes them."""

    pace: Literal["hourly", "daily", "weekly"] = setting(
        "daily", "Pace of a new goal: hourly, daily or weekly."
    )
    day_dollars: float = setting(
        0.5, "Dollars that a new goal may cost in a day.", gt=0, lt=1_000_000
    )
    dollars: float = setting(5.0, "Dollars that a new goal may cost in all.", gt=0, lt=1_000_000)
    days: int = setting(30, "Days after which a goal is paused.", ge=1, le=3_650)
    diary_tokens: int = setting(
        2_000, "Tokens of a goal's diary with which its runs begin.", ge=100
    )

    @property
    def span(self) -> timedelta:
        """The time after which a goal is paused."""
        return timedelta(days=self.days)
