"""Tools, calls and their results."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Literal, TypeAlias, cast

from bot.domain.message import Block, FileRef, Outbound


class Effect(StrEnum):
    """May it run unasked? `read` always, `write` with consent, `danger` only with fresh consent."""

    READ = "read"
    WRITE = "write"
    DANGER = "danger"


class Replay(StrEnum):
    """What a crash means for it: run again, never run again, or the send is a row."""

    SAFE = "safe"
    ONCE = "once"
    OUTBOX = "outbox"


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """What a model is told of a tool and what the loop must know of it.

    `effect` is the least a call can have; a preview may raise it. `timeout_s` of None means the
    common limit. Results of `keep` tools never shrink in a view. `lender` is the skill whose server
    lends the tool, if it is one's.
    """

    name: str
    description: str
    input_schema: Mapping[str, Any]
    effect: Effect
    replay: Replay
    keep: bool = False
    timeout_s: float | None = None
    lender: str | None = None


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A model's wish to use a tool.

    `arguments_text` is what the provider sent, before parsing; `arguments` is None when that is
    no JSON object, and `fault` then says why. `raw` is the provider's block, kept verbatim.
    """

    id: str
    name: str
    arguments_text: str
    arguments: Mapping[str, Any] | None
    fault: str | None = None
    raw: Mapping[str, Any] | None = None

    @property
    def canonical(self) -> str:
        """The arguments with sorted keys and no white space: equal calls are equal here."""
        if self.arguments is None:
            return self.arguments_text
        return canonical(self.arguments)

    @property
    def signature(self) -> str:
        return f"{self.name} {self.canonical}"

    @property
    def subject(self) -> str:
        """One short line that tells this call from others: its name and its shortest sense."""
        words = [str(v) for v in (self.arguments or {}).values() if isinstance(v, str | int)]
        first = " ".join(words[0].split()) if words else ""
        return f"{self.name} {clipped(first, 60)}".strip()


def canonical(arguments: Mapping[str, Any]) -> str:
    """One spelling for equal arguments: sorted keys, no white space, 1.0 written as 1."""
    return json.dumps(_plain(arguments), sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def clipped(text: str, length: int) -> str:
    """The text, or its beginning with an ellipsis when it is longer than `length`."""
    return text if len(text) <= length else f"{text[: length - 1]}…"


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
    """What became of a call; one that was planned is a step of a plan now, and did not run."""

    SUCCESS = "success"
    FAILED = "failed"
    BLOCKED = "blocked"
    SKIPPED = "skipped"
    TIMEOUT = "timeout"
    INVALID = "invalid"
    PLANNED = "planned"


class Code(StrEnum):
    """Why a result is not a success."""

    ERROR = "error"
    OUTCOME_UNKNOWN = "outcome_unknown"
    DENIED = "denied"
    EXPIRED = "expired"
    UNASKABLE = "unaskable"
    POLICY = "policy"
    AWAITING_DECISION = "awaiting_decision"
    CANCELLED = "cancelled"
    LIMIT = "limit"
    FINISHED = "finished"
    ARGUMENTS = "arguments"
    UNKNOWN_TOOL = "unknown_tool"
    CUT = "cut"


@dataclass(frozen=True, slots=True)
class SubmitPlan:
    """The plan is whole: it is to be shown under this title."""

    title: str
    summary: str


@dataclass(frozen=True, slots=True)
class ToolResult:
    """The one answer to a call; `synthetic` when no tool ran for it.

    `text` is what the model reads (bounded); `artifact` names the stored whole when `truncated`.
    `untrusted` names the foreign source of the text, if any. `files` are delivered with the answer.
    `question` ends the turn until the person answers; `closes` ends the conversation with the turn;
    `skill` is one that the call put to work, `submits` a plan that it handed in.
    """

    call_id: str
    tool: str
    status: Status
    text: str
    code: Code | None = None
    duration_ms: int = 0
    synthetic: bool = False
    truncated: bool = False
    untrusted: str | None = None
    artifact: str | None = None
    files: tuple[FileRef, ...] = ()
    keep: bool = False
    question: str | None = None
    closes: str | None = None
    skill: str | None = None
    submits: SubmitPlan | None = None

    @property
    def is_error(self) -> bool:
        return self.status not in (Status.SUCCESS, Status.PLANNED)


@dataclass(frozen=True, slots=True)
class CommandRule:
    """Allows a simple command whose words begin with these."""

    words: tuple[str, ...]
    kind: Literal["command"] = "command"


@dataclass(frozen=True, slots=True)
class PathRule:
    """Allows a call of its tool on anything below this folder of the workspace."""

    folder: str
    kind: Literal["path"] = "path"


@dataclass(frozen=True, slots=True)
class ExactRule:
    """Allows exactly this call, by its canonical arguments."""

    arguments: str
    kind: Literal["exact"] = "exact"


@dataclass(frozen=True, slots=True)
class ToolRule:
    """Allows every call of its tool, as long as the tool itself still offers this rule."""

    kind: Literal["tool"] = "tool"


RulePattern: TypeAlias = ExactRule | CommandRule | PathRule | ToolRule


@dataclass(frozen=True, slots=True)
class Preview:
    """What a call will do, prepared before anyone is asked.

    `subject` is one short line for progress and lists; `blocks` show the whole of it on the card;
    `where` is the place in words. `seen` is what the tool saw (a file's digest, say) and gets back
    at the run, to refuse when the world changed. `always` is the standing rule a person may give.
    `owner_only` when nobody else may approve it, whatever their rights.
    """

    title: str
    subject: str
    effect: Effect
    blocks: tuple[Block, ...] = ()
    where: str = ""
    why: str = ""
    seen: str | None = None
    always: RulePattern | None = None
    always_label: str = ""
    owner_only: bool = False


@dataclass(frozen=True, slots=True)
class AskPerson:
    """The tool put a question to the person: the turn ends until the answer comes."""

    question: str


@dataclass(frozen=True, slots=True)
class CloseConversation:
    """The tool ends the conversation when the turn settles."""

    reason: str


@dataclass(frozen=True, slots=True)
class PutToWork:
    """The tool's text is the instructions of this skill, which is at work from here on."""

    skill: str


@dataclass(frozen=True, slots=True)
class LetServerIn:
    """The tool was run with an owner's word that a tool server may be started from now on."""

    identity: str
    server: str
    line: str


@dataclass(frozen=True, slots=True)
class ToolOutput:
    """What a tool gives back when it ran; `sends` leave in the transaction of the result."""

    text: str
    untrusted: str | None = None
    files: tuple[FileRef, ...] = ()
    sends: tuple[Outbound, ...] = ()
    after: AskPerson | CloseConversation | PutToWork | SubmitPlan | LetServerIn | None = None
    failed: bool = False
    timed_out: bool = False
