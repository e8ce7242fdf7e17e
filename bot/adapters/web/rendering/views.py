"""The values that the parts of a page show, with nothing left to decide.

Every text is plain and is escaped by the part; only `html` is HTML, and this package made it.
"""

from datetime import datetime
from typing import Literal, TypeAlias

from markupsafe import Markup

from bot.domain.value import frozen

Meaning: TypeAlias = Literal["", "wait", "out", "good", "bad", "dim"]
"""A meaning of a colour: a person is needed, text from outside, done or added, a fault."""


@frozen
class KeyView:
    """A button: a link if it has an address, else it sends its value with the form around it."""

    label: str
    icon: str = ""
    style: Literal["", "main", "half", "plain"] = ""
    href: str = ""
    name: str = ""
    value: str = ""
    shortcut: str = ""
    """The key on a keyboard that presses it."""
    off: bool = False
    """True when this person may not press it; a sentence beside it says why."""
    asks: str = ""
    """A question for the words that the press needs; empty for a press without words."""


@frozen
class SignView:
    """A state in one word, with its icon."""

    word: str
    icon: str = ""
    meaning: Meaning = "dim"
    after: str = ""
    """More words in a dim colour: by whom, where, when."""
    until: datetime | None = None
    """The time that the word counts down to, in the zone of the person."""
    seconds: int | None = None
    """The seconds after which the state ends; a script counts them down in the word."""


@frozen
class ReasonView:
    """One line of “Why it asks”."""

    name: str
    words: str
    """Words between two backticks are code."""
    outside: str = ""
    """The source of text from outside that the words are about; stands before them."""


@frozen
class DiffLineView:
    """A line of a difference, in pieces; each tells if it is what has changed."""

    sign: Literal[" ", "+", "-", "@"]
    pieces: tuple[tuple[str, bool], ...]


@frozen
class DiffView:
    """A difference of two texts."""

    lines: tuple[DiffLineView, ...]
    label: str
    """Says in words what is removed and added."""
    kind: Literal["diff"] = "diff"


@frozen
class TextView:
    """An answer or a part of one, made from Markdown."""

    html: Markup
    kind: Literal["text"] = "text"


@frozen
class WordsView:
    """Plain text; words between two backticks are code when it has a style."""

    text: str
    style: Literal["", "line", "title", "aside"] = ""
    kind: Literal["words"] = "words"


@frozen
class CodeView:
    """Text as a machine reads it."""

    html: Markup
    language: str = ""
    kind: Literal["code"] = "code"


@frozen
class CallView:
    """A call of a tool, whose input and output unfold."""

    title: str
    given: str = ""
    result: str = ""
    more: str = ""
    """The command that shows the call whole."""
    kind: Literal["call"] = "call"


@frozen
class StepView:
    """A step of a plan: its sign in words and in an icon."""

    words: str
    state: str
    """The sign in words, as in “Done”."""
    icon: str
    meaning: Meaning
    aside: str = ""


@frozen
class StepsView:
    """The steps of a plan, in order."""

    steps: tuple[StepView, ...]
    kind: Literal["steps"] = "steps"


BlockView: TypeAlias = DiffView | TextView | WordsView | CodeView | CallView | StepsView


@frozen
class CardView:
    """A question for a person, or what became of it."""

    id: str
    """Names its element on the page."""
    title: str
    """Words between two backticks are code."""
    icon: str = "lock"
    open: bool = False
    """True while it waits: the one thing on a page that is loud."""
    sign: SignView | None = None
    body: tuple[BlockView, ...] = ()
    """The content that a press allows, the whole of it."""
    reasons: tuple[ReasonView, ...] = ()
    about: tuple[str, ...] = ()
    """Lines about who asks, where and for what."""
    keys: tuple[KeyView, ...] = ()
    hints: tuple[str, ...] = ()
    action: str = ""
    """The address that a press is sent to."""
    fields: tuple[tuple[str, str], ...] = ()
    """The fields that each press carries beside its own value."""
    word_action: str = ""
    """The address that words are sent to, for a key that asks for some."""
    asks: str = ""
    """A question whose answer is words, without a key."""
    decided: str = ""
    """A line about who decided it, and when."""


@frozen
class NoteView:
    """A message of the page: what happened, what was done, and what one can do."""

    lead: str
    """The first words, which stand out."""
    words: str = ""
    meaning: Meaning = ""
    keys: tuple[KeyView, ...] = ()
    alert: bool = False
    """True for a fault that a screen reader says at once."""


@frozen
class CellView:
    """A cell of a table; one without words says what it lacks."""

    words: str
    aside: str = ""
    sign: SignView | None = None
    label: str = ""
    """The name of its column, which a phone shows before it."""
    end: bool = False
    """True for a number, which stands at the end of its column."""


@frozen
class RowView:
    """A row of a table: its name, which may lead somewhere, and its cells."""

    name: str
    cells: tuple[CellView, ...]
    href: str = ""
    below: str = ""
    """Smaller words below the name."""


@frozen
class TableView:
    """A table that becomes a list on a phone."""

    caption: str
    columns: tuple[tuple[str, bool], ...]
    """The name of each column, and True for one of numbers."""
    rows: tuple[RowView, ...]
