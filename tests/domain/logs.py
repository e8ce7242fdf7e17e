"""Logs as the program writes them, for properties that must hold of every one."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any, TypeVar

from hypothesis import strategies as st

from bot.domain.consent.approval import Approval, ApprovalState
from bot.domain.money.model import FinishReason, Usage
from bot.domain.tools.tool import Code, Effect, Preview, Status, ToolCall, ToolResult
from bot.domain.turn.mandate import PERSONAL
from bot.domain.turn.progress import Progress, fold
from bot.domain.turn.transcript import (
    AskerBody,
    Body,
    CallPart,
    CutBody,
    Entry,
    ForeignPart,
    ImagePart,
    IntentBody,
    LateResultBody,
    NoteBody,
    Provenance,
    ReplyBody,
    ReplyPart,
    ResultBody,
    SummaryBody,
    TextPart,
    ThinkingPart,
)
from bot.domain.turn.turn import Turn
from bot.flow.log.closing import close

T = TypeVar("T")
NOON = datetime(2026, 11, 1, 12, tzinfo=UTC)
OWN = Provenance("anthropic", "one", "one")
OTHER = Provenance("local", "two", "two")

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=8,
)
json_objects = st.dictionaries(st.text(max_size=5), json_values, max_size=4)
words = st.text(min_size=1, max_size=30).filter(str.strip)
blanks = st.sampled_from(["", " ", "\n\t"])

# Made once: Hypothesis checks each new strategy before it draws from it, which costs more than the
# draw. What follows draws thousands of times.
_flags = st.booleans()
_words_or_blanks = words | blanks
_said = st.lists(_words_or_blanks, max_size=2)
_to_three = st.integers(0, 3)
_one_in_five = st.integers(0, 4).map(lambda number: number == 0)

_ARGUMENTS: Sequence[dict[str, Any] | None] = (
    None,
    {},
    {"path": "a.txt"},
    {"": None, "n": 10**20, "share": -0.5},
    {"text": "é\u202e\n\x00", "deep": [{"list": [1, "", {"empty": []}]}, True]},
)
"""Nothing that reads a log looks into arguments; None are those that could not be read."""

_NAMES = ("read_file", "write_file", "run_command")
_STATUSES = (Status.SUCCESS, Status.FAILED, Status.BLOCKED, Status.TIMEOUT)
_RESULT_TEXTS = ("", " ", "ok", "x" * 2_001, "x" * 2_501, "a line of it\n" * 500)
_SOURCES = (None, "a document", "a forward from Eve")
_CONTEXTS = ("", "Monday 2026-11-02 09:00 UTC")


@cache
def _below(number: int) -> st.SearchStrategy[int]:
    return st.integers(0, number - 1)


def pick(draw: st.DrawFn, options: Sequence[T]) -> T:
    """Returns one of the options, without a strategy of their own."""
    return options[draw(_below(len(options)))]


def call(name: str = "read_file", id: str = "call_1", **arguments: Any) -> ToolCall:
    """A well-formed call."""
    return ToolCall(id, name, "{}", arguments)


def result(
    of: ToolCall, status: Status = Status.SUCCESS, text: str = "ok", code: Code | None = None
) -> ToolResult:
    return ToolResult(of.id, of.name, status, text, code=code)


def reply(*parts: ReplyPart | ToolCall | str, finish: FinishReason | None = None) -> ReplyBody:
    """A reply of the own model from texts, calls and other parts."""
    whole = tuple(
        TextPart(p) if isinstance(p, str) else CallPart(p) if isinstance(p, ToolCall) else p
        for p in parts
    )
    calls = any(isinstance(p, CallPart) for p in whole)
    return ReplyBody(whole, finish or (FinishReason.CALLS if calls else FinishReason.END), OWN)


def turn(id: str = "t1", **changes: Any) -> Turn:
    return Turn(
        id=id,
        chat=1,
        conversation="c1",
        asker=1,
        asker_name="Ann",
        model="anthropic/one",
        created_at=NOON,
        **{"mandate": PERSONAL, **changes},
    )


def card(of: ToolCall, state: ApprovalState = ApprovalState.OPEN, **changes: Any) -> Approval:
    """A card about a call of turn t1."""
    known = {"turn": "t1", "state": state, "id": f"card-{of.id}", "preview": preview(of)}
    return Approval(
        token="0123456789abcdef01234_",
        chat=1,
        conversation="c1",
        call=of,
        asker=1,
        purpose="the report",
        created_at=NOON,
        expires_at=NOON + timedelta(hours=24),
        **(known | changes),
    )


def preview(of: ToolCall, effect: Effect = Effect.WRITE) -> Preview:
    return Preview(f"Run {of.name}?", of.subject, effect)


@dataclass
class Scribe:
    """Writes a log: numbers entries and says which turn they belong to."""

    entries: list[Entry] = field(default_factory=list)
    turn: str = "t1"

    def write(self, *bodies: Body) -> "Scribe":
        for body in bodies:
            seq = len(self.entries) + 1
            self.entries.append(Entry(seq, "c1", self.turn, NOON, body))
        return self

    def open(self, *bodies: Body) -> "Scribe":
        """Begins the next turn."""
        self.turn = f"t{int(self.turn[1:]) + 1}" if self.entries else self.turn
        return self.write(*bodies)

    @property
    def borders(self) -> list[int]:
        """The last number of each turn before the one at hand."""
        own = [*self.entries, None]
        return [
            e.seq
            for e, following in zip(self.entries, own[1:], strict=True)
            if following is not None and following.turn != e.turn
        ]


def log(*bodies: Body) -> list[Entry]:
    """A log of one turn."""
    return Scribe().write(*bodies).entries


def progress_of(entries: Sequence[Entry], **changes: Any) -> Progress:
    """How far the last turn of a log has come; `changes` are fields of its row."""
    last = entries[-1].turn
    own = [e for e in entries if e.turn == last]
    replies = [e.body for e in own if isinstance(e.body, ReplyBody)]
    counts = {"rounds": len(replies), "calls": sum(len(r.calls) for r in replies)}
    approvals = changes.pop("approvals", ())
    return fold(turn(last, **(counts | changes)), own, approvals)


def closed(entries: Sequence[Entry], reason: Code = Code.CANCELLED) -> list[Entry]:
    """The log after its last turn was ended here: each open call has its result."""
    scribe = Scribe(list(entries), entries[-1].turn)
    open_calls = progress_of(entries).open_calls
    results = close(
        (c.call for c in open_calls), reason, [c.call.id for c in open_calls if c.begun]
    )
    return scribe.write(*map(ResultBody, results)).entries


# Replies, as they are after their admission: ids legal and unique, names legal, texts whole.


def _calls(draw: st.DrawFn, prefix: str) -> list[ToolCall]:
    found: list[ToolCall] = []
    for n in range(draw(_to_three)):
        id = f"{prefix}_{'i' * pick(draw, (0, 50))}_{n}"
        arguments = pick(draw, _ARGUMENTS)
        name = pick(draw, _NAMES)
        text = "{" if arguments is None else "{}"
        raw = {"type": "tool_use", "id": id, "name": name} if draw(_flags) else None
        found.append(ToolCall(id, name, text, arguments, raw=raw))
    return found


def a_reply(draw: st.DrawFn, prefix: str, models: Sequence[Provenance] = (OWN,)) -> ReplyBody:
    """Draws any reply; `prefix` begins the ids of its calls."""
    thought = ThinkingPart({"type": "thinking", "thinking": "hm", "signature": prefix})
    foreign = ForeignPart({"type": "server_tool", "id": prefix})
    calls = [CallPart(c) for c in _calls(draw, prefix)]
    said = [TextPart(t) for t in draw(_said)]
    first = pick(draw, ((), (thought,), (thought, foreign)))
    finish = pick(draw, tuple(FinishReason))
    usage = Usage(input=pick(draw, (0, 700)), output=9)
    return ReplyBody((*first, *said, *calls), finish, pick(draw, models), usage)


def a_result(draw: st.DrawFn, of: ToolCall) -> ToolResult:
    """Draws any result of a call."""
    return ToolResult(
        of.id,
        of.name,
        pick(draw, _STATUSES),
        pick(draw, _RESULT_TEXTS),
        untrusted=pick(draw, _SOURCES),
        keep=draw(_flags),
    )


# Whole logs. Between a reply and its last result only intents and results stand.

_IMAGE = ImagePart("image/png", "iVBORw0KGgo=")


def _asker(draw: st.DrawFn) -> AskerBody:
    context = pick(draw, _CONTEXTS)
    text = draw(_words_or_blanks if context else words)
    images = (_IMAGE,) * draw(_to_three)
    return AskerBody(text, "Ann", context, images, untrusted=pick(draw, _SOURCES))


askers = st.composite(_asker)


def _round(draw: st.DrawFn, scribe: Scribe, models: Sequence[Provenance]) -> None:
    """Appends one reply with its results, in any order."""
    said = a_reply(draw, f"r{len(scribe.entries)}", models)
    scribe.write(said)
    left = list(said.calls)
    while left:
        each = left.pop(draw(_below(len(left))))
        if draw(_flags):
            scribe.write(IntentBody(each.id))
        scribe.write(ResultBody(a_result(draw, each)))


def _cut(draw: st.DrawFn, scribe: Scribe) -> Body:
    summaries = [e.body.covers for e in scribe.entries if isinstance(e.body, SummaryBody)]
    borders = [seq for seq in scribe.borders if seq > max(summaries, default=0)]
    if borders and draw(_flags):
        return SummaryBody(pick(draw, borders), "They talked.", pick(draw, _SOURCES))
    shown = [e.seq for e in scribe.entries if isinstance(e.body, ResultBody)]
    return CutBody(tuple(seq for seq in shown if draw(_flags)), 2_000)


@st.composite
def logs(
    draw: st.DrawFn,
    *,
    begin: Sequence[Entry] = (),
    turns: int = 3,
    cuts: bool = True,
    models: Sequence[Provenance] = (OWN, OWN, OTHER),
) -> list[Entry]:
    """A log of settled turns; with `begin`, that log with more turns behind it."""
    scribe = Scribe(list(begin), begin[-1].turn if begin else "t1")
    late = LateResultBody("card-1", "write_file", "a.txt", "approved by Ann; success", "ok")
    for _ in range(1 + draw(_below(turns))):
        scribe.open(*((late,) if draw(_flags) else ()), _asker(draw))
        for _ in range(draw(_to_three)):
            if cuts and draw(_one_in_five):
                scribe.write(_cut(draw, scribe))
            if draw(_one_in_five):
                scribe.write(NoteBody("nudge", "Go on.") if draw(_flags) else _asker(draw))
            _round(draw, scribe, models)
        if draw(_flags):
            scribe.write(NoteBody("ended", "[Turn ended: user_cancelled]"))
    return scribe.entries
