"""Tools, calls and their results."""

import json
from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Any, Literal, TypeAlias, cast

from bot.domain.talk.message import Block, FileRef, Outbound
from bot.domain.talk.picture import ImagePart
from bot.domain.talk.reach import Reach
from bot.domain.text.foreign_text import as_read
from bot.domain.tools.deeds import deed_of
from bot.domain.tools.file_change import Replaced
from bot.domain.tools.run_place import in_todays_words
from bot.domain.value import frozen, replace


class Effect(StrEnum):
    """The consent a call needs: `read` none, `write` one or a rule, `danger` a fresh one."""

    READ = "read"
    WRITE = "write"
    DANGER = "danger"


class Replay(StrEnum):
    """The rule for a call that a crash cut off: run it again, never again, or its send is a row."""

    SAFE = "safe"
    ONCE = "once"
    OUTBOX = "outbox"


@frozen
class ToolSpec:
    """The description of a tool for the model, with the properties that the loop needs."""

    name: str
    """The name that a model calls it by."""
    description: str
    """The words about it, before they are quoted."""
    input_schema: Mapping[str, Any]
    """The JSON schema of its arguments."""
    effect: Effect
    """The least effect of a call; a preview may raise it."""
    replay: Replay
    """The rule for a call that a crash cut off."""
    keep: bool = False
    """True when its results never shrink in a view."""
    timeout_s: float | None = None
    """Seconds; None means the common limit."""
    lender: str | None = None
    """The skill whose server lends the tool."""
    planned: bool = False
    """True when a call is a step of a plan although it needs no consent: it sends a file."""
    summary: str = ""
    """Words for people; the description is for the model."""
    tells: str = ""
    """The argument that leaves the house in a call that only reads: an address that is fetched.

    With foreign text in view, the call asks when nobody else wrote that address.
    """
    private: frozenset[str] = frozenset()
    """Places, as in 127.0.0.1:80, whose addresses no text but a person's own makes known."""
    origin: str | None = None
    """The origin of everything that it returns, failures included."""
    hosted: frozenset[str] = frozenset()
    """The providers that run it themselves during a reply; offered to models that have it."""
    switches: str = ""
    """The provider whose search of the web an owner switches on with a call."""
    source: str | None = None
    """The foreign source of the description; None for words of the program."""
    reach: Reach = Reach.BEYOND
    """The most that a call can touch where the folder is the chat's own."""

    @property
    def told(self) -> str:
        """Returns the description as a model reads it: that of a stranger as data."""
        return as_read(self.description, self.source)


@frozen
class ToolCall:
    """A model's wish to use a tool."""

    id: str
    name: str
    arguments_text: str
    """The provider's text, before parsing."""
    arguments: Mapping[str, Any] | None
    """The parsed text, None when it is no JSON object."""
    fault: str | None = None
    """The reason why the text is no JSON object."""
    raw: Mapping[str, Any] | None = None
    """The provider's block, verbatim."""
    through: str = ""
    """The tool that the model called to call this one; `arguments_text` is that tool's."""

    @property
    def written_name(self) -> str:
        """Returns the name in the provider's block."""
        return self.through or self.name

    @property
    def canonical(self) -> str:
        """Returns the arguments with sorted keys and no white space: equal calls are equal here."""
        if self.arguments is None:
            return self.arguments_text
        return canonical(self.arguments)

    @property
    def signature(self) -> str:
        return f"{self.name} {self.canonical}"

    @property
    def subject(self) -> str:
        """Returns one short line about the call: what it does, and with what."""
        return deed_of(self.name, self.arguments or {})


def canonical(arguments: Mapping[str, Any]) -> str:
    """Returns one spelling for equal arguments: sorted keys, no white space, 1.0 written as 1."""
    return json.dumps(_plain(arguments), sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        items = cast("Mapping[str, Any]", value)
        return {str(key): _plain(inner) for key, inner in items.items()}
    if isinstance(value, list | tuple):
        return [_plain(inner) for inner in cast("Sequence[Any]", value)]
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value


class Status(StrEnum):
    """The end of a call; a planned one did not run and is a step of a plan now."""

    SUCCESS = "success"
    FAILED = "failed"
    BLOCKED = "blocked"
    SKIPPED = "skipped"
    TIMEOUT = "timeout"
    INVALID = "invalid"
    PLANNED = "planned"


class Code(StrEnum):
    """The reason why a result is not a success."""

    ERROR = "error"
    OUTCOME_UNKNOWN = "outcome_unknown"
    DENIED = "denied"
    EXPIRED = "expired"
    UNASKABLE = "unaskable"
    POLICY = "policy"
    AWAITING_DECISION = "awaiting_decision"
    INTERRUPTED = "interrupted"
    CANCELLED = "cancelled"
    LIMIT = "limit"
    FINISHED = "finished"
    ARGUMENTS = "arguments"
    UNKNOWN_TOOL = "unknown_tool"
    CUT = "cut"


class Warrant(StrEnum):
    """The reason why a call could run: it only reads, or somebody said yes, and how."""

    READS = "reads"
    LOOKS = "looks"
    RULE = "rule"
    CARD = "card"
    AGREED = "agreed"
    HELD = "held"
    NOTED = "noted"


@frozen
class SubmitPlan:
    """The plan is complete; it is shown under this title."""

    title: str
    summary: str


@frozen
class ToolResult:
    """The one answer to a call."""

    call_id: str
    """The id of the call that this answers."""
    tool: str
    """The name of the tool."""
    status: Status
    """The outcome in one word."""
    text: str
    """The text for the model, bounded."""
    code: Code | None = None
    """The reason for any end but success."""
    duration_ms: int = 0
    """Milliseconds that the tool ran."""
    synthetic: bool = False
    """True when no tool ran for it."""
    truncated: bool = False
    """True when the middle of the text was left out."""
    untrusted: str | None = None
    """The foreign source of the text."""
    trusted: str | None = None
    """The same source where an owner trusts its origin: the text is quoted, and marks nothing."""
    trusted_by: int | None = None
    """The owner who trusts it: to turns of others of a group it is foreign; None in old rows."""
    origin: str | None = None
    """The web site or tool server that the text comes from."""
    artifact: str | None = None
    """Names the stored whole of a truncated text."""
    pictures: tuple[ImagePart, ...] = ()
    """Shown behind the text to a model that sees, as foreign as the text."""
    files: tuple[FileRef, ...] = ()
    """Delivered with the answer."""
    keep: bool = False
    """True when the text never shrinks in a view."""
    question: str | None = None
    """A question to the person; the turn ends until the answer comes."""
    choices: tuple[str, ...] = ()
    """The answers that the question offers as buttons; any other may be typed."""
    closes: str | None = None
    """The reason to end the conversation together with the turn."""
    skill: str | None = None
    """The skill that the call put to use."""
    submits: SubmitPlan | None = None
    """The complete plan that the call handed in."""
    ruled: str = ""
    """The outcome for the person, where a standing rule let the call run without a card."""
    passages: tuple[str, ...] = ()
    """The ids of what the text quotes: passages of the memory, or whole conversations."""
    undo: str = ""
    """The kept change of a file; empty when nothing was kept."""
    warrant: Warrant | None = None
    """The reason why the call could run; None where none ran, and in old rows."""

    @property
    def is_error(self) -> bool:
        return self.status not in (Status.SUCCESS, Status.PLANNED)

    @property
    def source(self) -> str | None:
        """Returns the source to quote; None for words of the program."""
        return self.untrusted or self.trusted

    def untrusted_for(self, person: int | None) -> str | None:
        """Returns the foreign source for the turn of a person; a trust is that of its owner."""
        lent = self.trusted_by in (None, person)
        return self.untrusted or (None if lent else self.trusted)

    def followed_by(self, after: "After | None") -> "ToolResult":
        """Returns the same result with the tool's wish for what happens next."""
        match after:
            case AskPerson(question=question, choices=choices):
                return replace(self, question=question, choices=choices)
            case CloseConversation(reason=reason):
                return replace(self, closes=reason)
            case SubmitPlan():
                return replace(self, submits=after)
            case PutToWork(skill=skill):
                return replace(self, skill=skill)
            case LetServerIn() | None:
                return self


@frozen
class CommandRule:
    """Allows a simple command whose words begin with these."""

    words: tuple[str, ...]
    kind: Literal["command"] = "command"


@frozen
class PathRule:
    """Allows a call of its tool on anything below this folder of the workspace."""

    folder: str
    kind: Literal["path"] = "path"


@frozen
class ExactRule:
    """Allows exactly this call, by its canonical arguments."""

    arguments: str
    kind: Literal["exact"] = "exact"


@frozen
class ToolRule:
    """Allows every call of its tool, as long as the tool itself still offers this rule."""

    kind: Literal["tool"] = "tool"


@frozen
class ReadingRule:
    """Allows a simple command that begins with these words, or any one, as far as it only reads.

    Skills ask for such rules.
    """

    words: tuple[str, ...] = ()
    kind: Literal["reading"] = "reading"


@frozen
class OriginRule:
    """Allows no call: what comes from this web site or tool server pauses no rule."""

    origin: str
    kind: Literal["origin"] = "origin"


RulePattern: TypeAlias = ExactRule | CommandRule | PathRule | ToolRule | ReadingRule | OriginRule


@frozen
class Surroundings:
    """The place of a run, and the variables that a skill puts into its environment."""

    where: str = ""
    """The place in words; empty for calls that run nothing."""
    skill: str = ""
    variables: tuple[str, ...] = ()

    def within(self, shown: "Surroundings") -> bool:
        """Returns true when a run here gets nothing beyond the surroundings that were shown.

        Shown ones without a place stand for a rule of an older program: any place, no skill.
        """
        known = set(self.variables) <= set(shown.variables)
        lent = not self.variables or self.skill == shown.skill
        told = in_todays_words(shown.where)
        return known and lent and told in ("", in_todays_words(self.where))


@frozen
class AskedRule:
    """A standing rule that a skill asks for, with the surroundings that its card showed."""

    tool: str
    pattern: RulePattern
    surroundings: Surroundings = Surroundings()


@frozen
class Offer:
    """The rules that a card offers together, because the skill in use asks for them."""

    under: str
    """The edition of the skill; the rules hold while exactly this one is in use."""
    skill: str
    """The name of the skill."""
    rules: tuple[AskedRule, ...]
    covers: bool
    """True when one of the rules covers the call of the card."""
    where: str = ""
    """The place, in words, of commands that run by these rules; empty without such rules."""


@frozen
class Preview:
    """A description of the effects of a call, made before a person is asked."""

    title: str
    """The deed in one line, verb and thing, as in “Create notes/todo.md”."""
    subject: str
    """The line for lists, progress and the record: the deed again, in old rows its thing alone."""
    effect: Effect
    """The consent that this call needs."""
    blocks: tuple[Block, ...] = ()
    """The thing itself, whole: a command, a difference, a content."""
    where: str = ""
    """The place in words."""
    why: str = ""
    """The reason why the call asks, where there is a special one."""
    seen: str | None = None
    """The tool's own note, such as a file's digest; it must still hold when the call runs."""
    always: RulePattern | None = None
    """The standing rule that a person may give."""
    always_label: str = ""
    """The words of a button for a rule that is not about exactly this call."""
    surroundings: Surroundings = Surroundings()
    """The surroundings that a standing rule made of this card is bound to."""
    reach: Reach | None = None
    """The most that the call can touch; None on a card of an older program, which knew none."""
    offer: Offer | None = None
    """The rules that the skill in use asks for, on the first card under it."""
    once: bool = False
    """True when exactly this call cannot come again, so that only a wider rule makes sense."""
    wider: RulePattern | None = None
    """The wider standing rule that a person may give instead: documents of a folder."""
    paused: str = ""
    """The content from outside for which a standing rule does not count; empty without one."""
    barred: str = ""
    """The content from outside for which no standing rule is offered; empty where one is."""
    trustable: tuple[str, ...] = ()
    """The origins of all that content, if an owner could trust them; none of others."""
    done: str = ""
    """The outcome in words once the call has succeeded, as in “notes/todo.md created”."""
    document: str = ""
    """The name of the document that holds the thing where a message has no room for it."""
    together: int = 1
    """The number of cards that are asked in the same round."""
    fault: str = ""
    """The reason why the call could not be done when it was foreseen."""
    at_once: bool = False
    """True for a call that is no step of a plan: it asks the person something now."""
    unwalled: bool = False
    """True for a command that always asks only because no sandbox holds it."""
    reads: bool = False
    """True for such a command that is known to only read, and no more than its folder."""

    @property
    def dangerous(self) -> bool:
        """Returns True when the call is dangerous in itself, in whatever place it happens."""
        return self.effect is Effect.DANGER and not self.unwalled

    @property
    def needs(self) -> Reach:
        """Returns how far an approval has to go; an unknown reach may be any."""
        return Reach.TALK if self.effect is Effect.READ else self.reach or Reach.BEYOND

    @property
    def outcome(self) -> str:
        """Returns the outcome of a success in words."""
        return self.done or f"{self.subject}: done"

    def unruled(self) -> "Preview":
        """Returns the preview of a card that offers no standing rule."""
        return replace(self, always=None, always_label="", wider=None, offer=None)

    def explained(self, why: str) -> "Preview":
        """Returns the preview of a card with one more reason to ask, and no standing rule.

        A reason that the card gives already is not given twice.
        """
        new = () if why in self.why else (why,)
        told = ". ".join(part for part in (self.why, *new) if part)
        return replace(self.unruled(), why=told)

    def shows_like(self, other: "Preview") -> bool:
        """Returns true when both describe the same effects in the same place and state."""
        return _described(self) == _described(other)


def _described(preview: Preview) -> tuple[object, ...]:
    told = (preview.title, preview.subject, preview.effect, preview.blocks)
    surroundings = replace(preview.surroundings, where=in_todays_words(preview.surroundings.where))
    seen = None if preview.seen is None else in_todays_words(preview.seen)
    return (*told, in_todays_words(preview.where), seen, surroundings)


@frozen
class AskPerson:
    """The tool asks the person a question: the turn ends until the answer comes."""

    question: str
    choices: tuple[str, ...] = ()


@frozen
class CloseConversation:
    """The tool ends the conversation when the turn settles."""

    reason: str


@frozen
class PutToWork:
    """The tool's text is the instructions of this skill, which is in use from here on.

    An empty name ends the use of the current skill.
    """

    skill: str


@frozen
class LetServerIn:
    """The tool ran with an owner's permission: from now on a tool server may be started."""

    identity: str
    server: str
    line: str


After: TypeAlias = AskPerson | CloseConversation | PutToWork | SubmitPlan | LetServerIn
"""A tool's wish for what happens after it has run."""


@frozen
class ToolOutput:
    """The output of a tool that ran; `sends` are stored in the transaction of the result."""

    text: str
    untrusted: str | None = None
    lent: str | None = None
    """The source that the asker trusts, and others of a group do not."""
    origin: str | None = None
    pictures: tuple[ImagePart, ...] = ()
    files: tuple[FileRef, ...] = ()
    sends: tuple[Outbound, ...] = ()
    after: After | None = None
    failed: bool = False
    timed_out: bool = False
    passages: tuple[str, ...] = ()
    replaced: Replaced | None = None
    """The file as it was before the tool changed it, where that is kept."""
