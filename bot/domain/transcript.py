"""The log of a chat: entries that are appended and never changed."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal, TypeAlias

from bot.domain.bundle import Seam
from bot.domain.model import FinishReason, Usage
from bot.domain.tool import ToolCall, ToolResult


@dataclass(frozen=True, slots=True)
class TextPart:
    """Words; `raw` is the provider's own block when the model wrote them."""

    text: str
    raw: Mapping[str, Any] | None = None
    kind: Literal["text"] = "text"


@dataclass(frozen=True, slots=True)
class ImagePart:
    """A picture for models that see; `data` is base64."""

    media_type: str
    data: str
    kind: Literal["image"] = "image"


@dataclass(frozen=True, slots=True)
class ThinkingPart:
    """A model's thinking: a sealed block, returned as it came and read by nobody."""

    raw: Mapping[str, Any]
    kind: Literal["thinking"] = "thinking"


@dataclass(frozen=True, slots=True)
class CallPart:
    call: ToolCall
    kind: Literal["call"] = "call"


@dataclass(frozen=True, slots=True)
class ForeignPart:
    """A block of a kind this program does not know, kept for its own provider."""

    raw: Mapping[str, Any]
    kind: Literal["foreign"] = "foreign"


ReplyPart: TypeAlias = TextPart | ThinkingPart | CallPart | ForeignPart


@dataclass(frozen=True, slots=True)
class Provenance:
    """Which model said it: provider, the model asked for, the model that answered.

    `epoch` names the system text and tools it was shown.
    """

    provider: str
    requested_model: str
    answered_model: str
    call_type: Literal["turn", "summary"] = "turn"
    schema: int = 1
    epoch: str = ""


@dataclass(frozen=True, slots=True)
class AskerBody:
    """A person's message as the model reads it; `context` holds what is true only now.

    In a group `account` tells who of its people speaks, `group` what it is called, and `heard` what
    was said to others before. `seam` is where a piece that comes late goes on.
    """

    text: str
    speaker: str
    context: str = ""
    images: tuple[ImagePart, ...] = ()
    untrusted: str | None = None
    message_id: str | None = None
    steering: bool = False
    account: str = ""
    group: str = ""
    heard: str = ""
    seam: Seam | None = None
    kind: Literal["asker"] = "asker"


@dataclass(frozen=True, slots=True)
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


@dataclass(frozen=True, slots=True)
class IntentBody:
    """A call that may run only once is about to run; found without a result, its end is unknown."""

    call_id: str
    kind: Literal["intent"] = "intent"


@dataclass(frozen=True, slots=True)
class ResultBody:
    result: ToolResult
    kind: Literal["result"] = "result"


@dataclass(frozen=True, slots=True)
class LateResultBody:
    """What came of a call whose card was decided after its turn had ended."""

    approval: str
    tool: str
    subject: str
    decision: str
    text: str
    result: ToolResult | None = None
    untrusted: str | None = None
    kind: Literal["late_result"] = "late_result"


@dataclass(frozen=True, slots=True)
class NoteBody:
    """A word of the program to the model, kept where it was said."""

    purpose: Literal["wrap_up", "nudge", "ended", "plan", "server"]
    text: str
    kind: Literal["note"] = "note"


@dataclass(frozen=True, slots=True)
class SkillBody:
    """A skill comes to work, or the last one rests (`name` empty); `text` is what the model reads.

    With `after` it takes over in the middle of a turn from the skill of that name: the text before
    it was for the pipeline alone and was never sent. `missed` is one that should be at work and
    cannot.
    """

    name: str
    text: str
    after: str | None = None
    missed: str = ""
    kind: Literal["skill"] = "skill"


@dataclass(frozen=True, slots=True)
class SummaryBody:
    """Stands in the view for every entry up to `covers`; the entries stay in the log."""

    covers: int
    text: str
    untrusted: str | None = None
    kind: Literal["summary"] = "summary"


@dataclass(frozen=True, slots=True)
class CutBody:
    """A stored change of the view: these results are shown shortened from here on.

    `shrunk` are the sequence numbers of result entries. All thinking of entries before this one
    is left out of the view, since it is bound to what stood before.
    """

    shrunk: tuple[int, ...]
    keep_chars: int
    kind: Literal["cut"] = "cut"


Body: TypeAlias = (
    AskerBody
    | ReplyBody
    | IntentBody
    | ResultBody
    | LateResultBody
    | NoteBody
    | SkillBody
    | SummaryBody
    | CutBody
)


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of the log; `seq` grows by one within a chat."""

    seq: int
    conversation: str
    turn: str
    at: datetime
    body: Body
