"""The log of a chat: entries that are appended and never changed."""

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from typing import Any, Literal, TypeAlias

from bot.domain.money.model import FinishReason, Usage
from bot.domain.talk.bundle import Seam, wish_in
from bot.domain.talk.picture import ImagePart
from bot.domain.text.names import plain_name
from bot.domain.tools.tool import ToolCall, ToolResult
from bot.domain.value import field, frozen


@frozen
class TextPart:
    """Words; `raw` is the provider's own block when the model wrote them."""

    text: str
    raw: Mapping[str, Any] | None = None
    kind: Literal["text"] = "text"


@frozen
class ThinkingPart:
    """A model's thinking: a sealed block, sent back unchanged and never read."""

    raw: Mapping[str, Any]
    kind: Literal["thinking"] = "thinking"


@frozen
class CallPart:
    call: ToolCall
    kind: Literal["call"] = "call"


@frozen
class ForeignPart:
    """A block that only its own provider understands, kept as it came.

    Where the provider looked something up, `untrusted` names the source, and `text` holds the
    addresses that were found.
    """

    raw: Mapping[str, Any]
    untrusted: str | None = None
    text: str = ""
    kind: Literal["foreign"] = "foreign"


ReplyPart: TypeAlias = TextPart | ThinkingPart | CallPart | ForeignPart


@frozen
class Provenance:
    """The origin of a reply: provider, the model asked for, and the model that answered.

    `epoch` names the system text and tools that the model saw.
    """

    provider: str
    requested_model: str
    answered_model: str
    call_type: Literal["turn", "summary"] = "turn"
    schema: int = 1
    epoch: str = ""


@frozen
class AskerBody:
    """A person's message as the model reads it."""

    text: str
    """The words of the person."""
    speaker: str
    """The name of the person, where several write."""
    moment: str = ""
    """Facts that are true only now, such as the time."""
    images: tuple[ImagePart, ...] = ()
    """Pictures that came with the words."""
    untrusted: str | None = None
    """The source of foreign content; None when the person wrote it all."""
    message_id: str | None = None
    """The platform's number of the message."""
    steering: bool = False
    """True when the message joined a running turn."""
    account: str = ""
    """The account of the speaker, in a group."""
    group: str = ""
    """The title of the group."""
    heard: str = ""
    """The talk of the group that was not meant for the bot."""
    seam: Seam | None = None
    """The end at which a late fragment continues the message."""
    person: int | None = None
    """The number of the person who wrote it."""
    language: str = ""
    """The language code of the person's app."""
    governs: bool = False
    """True when an owner wrote it, whose words may direct anybody's turn."""
    spoken: bool = False
    """True when the person said it in a voice message of their own, which was heard."""
    wish: str = ""
    """The beginning of the person's own words, or who wrote a forward; empty in old rows."""
    own: tuple[str, ...] = ()
    """The addresses of the web in the words that the person typed, each as a link has it."""
    only: tuple[str, ...] | None = None
    """The only addresses in the text that count, where a model wrote it beside foreign text.

    None in any other text: then all of its addresses count.
    """
    kind: Literal["asker"] = "asker"
    """Tells this entry from others in stored rows."""

    @property
    def purpose(self) -> str:
        """Returns what the person asks for, without quotes, documents and remarks beside it."""
        return self.wish or wish_in(self.text)

    def untrusted_for(self, person: int | None) -> str | None:
        """Returns the foreign source for the turn of a person: others of a group write too."""
        own = not self.account or self.governs or (person is not None and self.person == person)
        return self.untrusted or (None if own else f"a message of {plain_name(self.speaker)}")


@frozen
class ReplyBody:
    """One reply of the model, verbatim in its parts."""

    parts: tuple[ReplyPart, ...]
    finish: FinishReason
    provenance: Provenance
    usage: Usage = field(default_factory=Usage)
    wrap_up: bool = False
    kind: Literal["reply"] = "reply"

    @property
    def text(self) -> str:
        return "\n\n".join(p.text.strip() for p in self.parts if isinstance(p, TextPart)).strip()

    @property
    def calls(self) -> tuple[ToolCall, ...]:
        return tuple(p.call for p in self.parts if isinstance(p, CallPart))

    @property
    def looked_up(self) -> tuple[ForeignPart, ...]:
        """Returns what the provider looked up for the reply."""
        return tuple(p for p in self.parts if isinstance(p, ForeignPart) and p.untrusted)

    @property
    def untrusted(self) -> str | None:
        """Returns the foreign source that the provider read for the reply."""
        return next((part.untrusted for part in self.looked_up), None)


@frozen
class IntentBody:
    """A call that may run only once is about to run; without a result, its end is unknown."""

    call_id: str
    kind: Literal["intent"] = "intent"


@frozen
class ResultBody:
    result: ToolResult
    kind: Literal["result"] = "result"


@frozen
class LateResultBody:
    """The end of a call whose card was decided after its turn had ended."""

    approval: str
    tool: str
    subject: str
    decision: str
    text: str
    result: ToolResult | None = None
    untrusted: str | None = None
    kind: Literal["late_result"] = "late_result"


@frozen
class NoteBody:
    """A note of the program to the model, at its place in the log."""

    purpose: Literal[
        "wrap_up",
        "nudge",
        "ended",
        "plan",
        "server",
        "rest",
        "unserved",
        "again",
        "onward",
        "errand",
        "task",
        "hook",
        "goal",
        "undo",
    ]
    text: str
    kind: Literal["note"] = "note"


@frozen
class SkillBody:
    """A skill begins, or the last one ends (`name` empty); the model reads `text`.

    With `after` it takes over within a turn from the skill of that name: the text before it was
    for the pipeline alone and was never sent. `missed` names a skill that should be in use but
    cannot.
    """

    name: str
    text: str
    after: str | None = None
    missed: str = ""
    kind: Literal["skill"] = "skill"


@frozen
class BackgroundBody:
    """Words about the bot or a person that hold until a later entry about the same replaces them.

    Without a `person` they are the owner's words about the bot. The model reads `text`; `words`
    alone are compared, and are empty when earlier ones hold no longer. In a group the words of
    others are foreign to a turn, unless the person `governs`.
    """

    person: int | None
    words: str
    text: str
    speaker: str = ""
    group: bool = False
    governs: bool = False
    kind: Literal["background"] = "background"

    def untrusted_for(self, person: int | None) -> str | None:
        """Returns the foreign source for the turn of a person."""
        own = self.person is None or self.governs or not self.group
        mine = person is not None and self.person == person
        return None if own or mine else f"what {plain_name(self.speaker)} says about themselves"


@frozen
class RecallBody:
    """Passages from the memory, quoted for the message that they came with.

    The model reads `text`. In a group the words of others are foreign to a turn: `writers` are
    their numbers, each with the source that a card names.
    """

    passages: tuple[str, ...]
    text: str
    untrusted: str | None = None
    writers: tuple[tuple[int, str], ...] = ()
    origins: tuple[str, ...] = ()
    """The sites and servers all foreign content in it comes from; none where any is unnamed."""
    kind: Literal["recall"] = "recall"

    def untrusted_for(self, person: int) -> str | None:
        """Returns the foreign source for the turn of a person."""
        others = (source for writer, source in self.writers if writer != person)
        return self.untrusted or next(others, None)


@frozen
class ArrivalBody:
    """Data that another program sent; nobody's words. `untrusted` names where they came from."""

    text: str
    untrusted: str
    kind: Literal["arrival"] = "arrival"


@frozen
class SummaryBody:
    """Stands in the view for every entry up to `covers`; the entries stay in the log."""

    covers: int
    text: str
    untrusted: str | None = None
    kind: Literal["summary"] = "summary"


@frozen
class CutBody:
    """A stored change of the view: from here on these results are shown shortened.

    `shrunk` are the sequence numbers of result entries. The view leaves out the thinking of all
    earlier entries, because thinking is only valid behind an unchanged text. `without` are turns
    whose earlier entries are out of view, because a person took them back. `unsummed` are turns
    whose summaries a person took back: the entries that these covered are in view again.
    """

    shrunk: tuple[int, ...]
    keep_chars: int
    without: tuple[str, ...] = ()
    unsummed: tuple[str, ...] = ()
    kind: Literal["cut"] = "cut"


Body: TypeAlias = (
    AskerBody
    | ReplyBody
    | IntentBody
    | ResultBody
    | LateResultBody
    | NoteBody
    | SkillBody
    | BackgroundBody
    | RecallBody
    | ArrivalBody
    | SummaryBody
    | CutBody
)


@frozen
class Entry:
    """One line of the log; `seq` grows by one within a chat."""

    seq: int
    conversation: str
    turn: str
    at: datetime
    body: Body


def uncovered(newest_first: Iterable[Entry]) -> Iterator[Entry]:
    """Yields what a view is made of, the newest first.

    That is the newest summary, in its place in the log, and every entry that it does not stand for,
    but for those of turns that were taken back. A summary that was taken back stands for nothing.
    """
    covers: int | None = None
    gone, unsummed = set[str](), set[str]()
    for entry in newest_first:
        if covers is not None and entry.seq <= covers:
            return
        if isinstance(entry.body, CutBody):
            gone.update(entry.body.without)
            unsummed.update(entry.body.unsummed)
        if not isinstance(entry.body, SummaryBody):
            if entry.turn not in gone:
                yield entry
        elif covers is None and entry.turn not in unsummed:
            covers = entry.body.covers
            yield entry
