"""A turn as a page shows it: words, times and places, all of them plain text."""

from datetime import datetime
from typing import Literal, Protocol, TypeAlias

from bot.domain.talk.person import Person
from bot.domain.value import frozen

BarKind: TypeAlias = Literal["model", "tool", "person", "queue", "sent", "lost", "gap", "span"]
Part: TypeAlias = Literal["request", "beside", "log", "reply", "differences"]
PARTS: tuple[Part, ...] = ("request", "beside", "log", "reply", "differences")


@frozen
class Bar:
    """A bar on the scale; place and width in per cent."""

    kind: BarKind
    x: float
    width: float


@frozen
class FallRow:
    """A row of the waterfall."""

    mark: str
    """The name of its icon."""
    level: int
    name: str
    bar: Bar | None = None
    outside: bool = False
    """True when it brought text from outside into view."""
    took: str = ""
    tokens: str = ""
    cached: str = ""
    cost: str = ""
    round: int = 0
    """The round that the side shows for it; 0 for none."""
    turn: str = ""
    """The turn of a helper, which has a page of its own."""
    event: bool = False
    """True for something that happened to the program, not to the answer."""


@frozen
class FoldMark:
    """A folded stretch on the scale, with its length in words."""

    x: float
    width: float
    label: str


@frozen
class Fall:
    rows: tuple[FallRow, ...]
    folds: tuple[FoldMark, ...]
    begin: str
    end: str
    foldable: bool
    """True when there is something to fold or unfold."""


@frozen
class Figure:
    """A figure with its name."""

    name: str
    told: str


@frozen
class DecisionLine:
    """A decision of the loop, and its reason."""

    at: str
    what: str
    why: str


@frozen
class Reason:
    """A line about a gate; `outside` where it names text from outside."""

    name: str
    told: str
    outside: bool = False


@frozen
class AskedCall:
    """A call that asked, with the reasons."""

    title: str
    reasons: tuple[Reason, ...]


@frozen
class AllowedCall:
    """A call that asked nobody, or did not run, with the reason."""

    title: str
    why: str


@frozen
class Remark:
    """Something that happened to the program meanwhile."""

    title: str
    told: str


@frozen
class ViewItem:
    """A part of what a model was given, of the log, or of a reply."""

    title: str
    told: str = ""
    note: str = ""
    """Says that it came from the cache, or is new."""
    size: str = ""
    """Tokens, or what became of them."""
    kind: Literal["plain", "gone", "outside"] = "plain"
    before: str = ""
    """The text as it is stored; in a request only that of something that was cut or masked."""
    after: str = ""
    """The text that a model was given in its place."""
    whole: str = ""
    """A long text that is shown on demand."""


@frozen
class RoundView:
    """One part of a round, for the side of the page."""

    round: int
    part: Part
    items: tuple[ViewItem, ...]
    differences: int
    earlier: str = ""
    """The number below which there are more entries; empty at the beginning of the log."""


@frozen
class TurnPage:
    turn: str
    title: str
    """The message that was answered, or the cause."""
    place: str
    """The chat, in words."""
    asked: str
    """When, and by whom."""
    figures: tuple[Figure, ...]
    fall: Fall
    decisions: tuple[DecisionLine, ...]
    asking: tuple[AskedCall, ...]
    allowed: tuple[AllowedCall, ...]
    remarks: tuple[Remark, ...]
    view: RoundView | None
    parent: str = ""
    """The turn that sent this one out as a helper."""
    chat: int = 0
    """The number of the chat."""


@frozen
class TurnLook:
    """The choice of a person: the parts of a turn that they want to see."""

    round: int = 0
    """The round of the side; 0 for the one in which most happened."""
    part: Part = "request"
    unfolded: bool = False
    before: int | None = None
    """The number in the log below which it is shown; None for its newest part."""


class TurnPages(Protocol):
    async def turn(self, id: str, reader: Person, look: TurnLook) -> TurnPage | None:
        """Returns the page of a turn; None where there is none, or where it is not theirs."""
        ...

    async def cut_off(self, id: str, until: datetime) -> bool:
        """Returns True when the program stopped while a model answered, and asked it again."""
        ...

    async def restarted(self, chat: int, since: datetime, until: datetime) -> bool:
        """Returns True when that may have happened to an answer of a chat between two moments."""
        ...
