"""The flow as the door of hooks sees it: calls in, and the status of each."""

from enum import StrEnum

from bot.domain.value import frozen


class Refusal(StrEnum):
    """The reason of a refusal; UNKNOWN stands for a wrong proof too, so that nobody learns more."""

    UNKNOWN = "unknown"
    UNREADABLE = "unreadable"
    TOO_MANY = "too many"
    NO_PLACE = "no place"
    REPEATED = "repeated"


@frozen
class CallStatus:
    """The state of the run of a call, as its caller may know it."""

    id: str
    hook: str
    state: str
    answer: str | None = None
    """The last answer of the run; None unless the file of the hook says that it is told."""


@frozen
class Answered:
    """The call is stored for good: now, or when it came before with the same key."""

    status: CallStatus


@frozen
class Refused:
    """Nothing was stored."""

    why: Refusal
    told: str = ""
    """A sentence for the caller."""
    seconds: float = 0.0
    """Seconds after which the caller may come again; 0 when that would not help."""
