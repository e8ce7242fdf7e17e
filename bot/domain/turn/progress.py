"""The progress of a turn: a fold over its entries, its row and its cards."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from bot.domain.consent.approval import Approval, ApprovalState
from bot.domain.money.model import FinishReason
from bot.domain.talk.message import FileRef
from bot.domain.tools.tool import Code, Status, SubmitPlan, ToolCall, ToolResult
from bot.domain.turn.transcript import (
    Body,
    CutBody,
    Entry,
    IntentBody,
    LateResultBody,
    NoteBody,
    ReplyBody,
    ResultBody,
    SkillBody,
    SummaryBody,
)
from bot.domain.turn.turn import Turn
from bot.domain.value import field, frozen

_COUNTED_ERRORS = frozenset({Status.FAILED, Status.INVALID, Status.TIMEOUT})


@frozen
class OpenCall:
    """A call without its result; `begun` when an intent says that it may have run."""

    call: ToolCall
    begun: bool
    approval: Approval | None


@frozen
class Done:
    """A call of this turn with its result; `round` is the number of the reply it stands in.

    `at` is when the result was written: the same moment for all calls that ran side by side.
    """

    call: ToolCall
    result: ToolResult
    at: datetime
    round: int = 0


@frozen
class Kept:
    """The settled text of a stage that another skill went on with, after so many rounds."""

    by: str
    text: str
    rounds: int


@frozen
class Progress:
    """The content of a turn's entries, in their order."""

    turn: Turn
    """The row of the turn."""
    reply: ReplyBody | None = None
    """The newest reply; None before the first one."""
    open_calls: tuple[OpenCall, ...] = ()
    """Calls that have no result yet."""
    done: tuple[Done, ...] = ()
    """Calls that have a result."""
    since_reply: tuple[Body, ...] = ()
    """The entries behind the newest reply."""
    empty_replies: int = 0
    """Empty replies in a row, up to the newest one."""
    pauses: int = 0
    """Replies in which the model only paused."""
    wrap_up_asked: bool = False
    """True when the model was asked to answer without more calls."""
    shrunk: bool = False
    """True when a cut has shortened results of this turn."""
    cuts_since_reply: int = 0
    """Summaries and shortenings behind the newest reply."""
    approvals: tuple[Approval, ...] = field(default=())
    """The cards of the turn, and the card that it continues."""
    kept: tuple[Kept, ...] = ()
    """The texts of earlier stages."""
    nudges: int = 0
    """Notes after replies that led nowhere."""
    unserved: int = 0
    """Rests since the newest reply because no model answered."""
    spoken: tuple[str, ...] = ()
    """The words of the present stage that stand in no message yet, a text for each reply.

    Words before a card are shown above it, so they are left out once the card is there.
    """

    @property
    def this_round(self) -> list[Done]:
        """Returns the calls of the newest reply that have a result."""
        ids = {call.id for call in self.reply.calls} if self.reply is not None else set[str]()
        return [done for done in self.done if done.call.id in ids]

    @property
    def tool_seconds(self) -> float:
        """Returns the time of this round's tools; of calls side by side only the longest counts."""
        longest: dict[datetime, int] = {}
        for done in self.this_round:
            longest[done.at] = max(longest.get(done.at, 0), done.result.duration_ms)
        return sum(longest.values()) / 1000

    @property
    def words(self) -> str:
        """Returns the model's newest text for the person; empty when it went to the next skill."""
        return "" if self.reply is None or self.handed_over else self.reply.text

    @property
    def has_whole_reply(self) -> bool:
        """Returns True when the newest reply came to its own end."""
        return self.reply is not None and self.reply.finish is FinishReason.END

    @property
    def question(self) -> str | None:
        """Returns the question that the newest round put to the person."""
        return next((r.question for r in self._newest_results if r.question is not None), None)

    @property
    def choices(self) -> tuple[str, ...]:
        """Returns the answers that this question offers."""
        asked = (r.choices for r in self._newest_results if r.question is not None)
        return next(asked, ())

    @property
    def closes(self) -> str | None:
        return next((d.result.closes for d in self.done if d.result.closes is not None), None)

    @property
    def submitted(self) -> SubmitPlan | None:
        """Returns the plan that the newest round submitted."""
        return next((r.submits for r in self._newest_results if r.submits is not None), None)

    @property
    def files(self) -> tuple[FileRef, ...]:
        """Files that results of this turn brought along, each once."""
        return tuple(dict.fromkeys(f for d in self.done for f in d.result.files))

    @property
    def _newest_results(self) -> list[ToolResult]:
        return [b.result for b in self.since_reply if isinstance(b, ResultBody)]

    @property
    def handed_over(self) -> bool:
        """Returns true when a skill has taken over and not replied yet."""
        return any(isinstance(b, SkillBody) and b.after is not None for b in self.since_reply)

    @property
    def stage_rounds(self) -> int:
        """Returns the rounds of the current stage; those of the turn before any hand-over."""
        return self.turn.rounds - (self.kept[-1].rounds if self.kept else 0)

    def same_error(self) -> tuple[Done | None, int]:
        """Returns the call of the newest round with the most frequent error, and its rounds.

        Rounds count, not calls: calls of one reply were made before any of them failed.
        """
        rounds: dict[tuple[str, str], set[int]] = {}
        failed = [d for d in self.done if d.result.status in _COUNTED_ERRORS]
        for done in failed:
            rounds.setdefault(error_key(done.result), set()).add(done.round)
        newest = [d for d in failed if d.round == self.done[-1].round]
        worst = max(newest, key=lambda d: len(rounds[error_key(d.result)]), default=None)
        return worst, len(rounds[error_key(worst.result)]) if worst is not None else 0

    def repeats(self, call: ToolCall) -> int:
        """Counts the newest calls equal to this one that had the same result in a row."""
        count, outcome = 0, None
        for done in reversed([d for d in self.done if d.call.signature == call.signature]):
            found = (done.result.status, done.result.text)
            if outcome is not None and found != outcome:
                break
            count, outcome = count + 1, found
        return count

    def held(self, call: ToolCall) -> tuple[Approval, ...]:
        """Returns approvals of equal calls that a rest of the turn closed before they ran.

        Each stands for one run: those that equal calls without a card have used up are left out.
        """
        equal = [done for done in self.done if done.call.signature == call.signature]
        closed = {done.call.id for done in equal if _never_ran(done)}
        cards = [a for a in self.approvals if a.kind == "call" and a.call.id in closed]
        approved = [a for a in cards if a.state is ApprovalState.APPROVED]
        with_card = {a.call.id for a in self.approvals}
        used = [d for d in equal if d.call.id not in with_card and not _never_ran(d)]
        return tuple(approved[len(used) :])

    def repeats_granted(self, call: ToolCall, grant: int) -> int:
        """Returns the number of repeats of this call that people have allowed so far."""
        allowed = [
            a
            for a in self.approvals
            if a.kind == "repeat"
            and a.state is ApprovalState.APPROVED
            and a.call.signature == call.signature
        ]
        return grant * len(allowed)


def _never_ran(done: Done) -> bool:
    """Returns true for a call that a rest closed; one that may have run has another code."""
    return done.result.synthetic and done.result.code is Code.INTERRUPTED


HINT = "\n\n[Hint] "
"""Stands between a tool's own words and the loop's advice."""


def error_key(result: ToolResult) -> tuple[str, str]:
    """Returns the key of an error; case, white space and hints make no difference."""
    told, _, _ = result.text.partition(HINT)
    return result.tool, " ".join(told.lower().split())


def fold(turn: Turn, entries: Sequence[Entry], approvals: Sequence[Approval]) -> Progress:
    """Reads the entries of one turn; entries of other turns must not be among them."""
    late = next((a for a in approvals if a.id == turn.approval), None)
    # A call that was shown again has several cards; the newest of the turn itself counts.
    cards = {a.call.id: a for a in approvals if a is late}
    cards |= {a.call.id: a for a in approvals if a.turn == turn.id}
    reading = _Reading(late)
    for entry in entries:
        reading.take(entry.body, entry.at)
    bodies = [entry.body for entry in entries]
    return Progress(
        turn=turn,
        reply=reading.replies[-1] if reading.replies else None,
        open_calls=reading.open_calls(cards),
        done=reading.done(),
        since_reply=tuple(reading.since),
        empty_replies=_trailing_empty(reading.replies),
        pauses=sum(r.finish is FinishReason.PAUSE for r in reading.replies),
        wrap_up_asked=any(_is_note(body, "wrap_up") for body in bodies),
        shrunk=any(isinstance(body, CutBody) and body.shrunk for body in bodies),
        cuts_since_reply=sum(_makes_room(body) for body in reading.since),
        approvals=tuple(approvals),
        kept=tuple(reading.kept),
        unserved=sum(_is_note(body, "unserved") for body in reading.since),
        nudges=sum(_is_note(body, "nudge") for body in bodies),
        spoken=reading.spoken(cards),
    )


class _Reading:
    """The entries of a turn read so far; `late` is the card that the turn continues."""

    def __init__(self, late: Approval | None) -> None:
        self._late = late
        self._calls = {} if late is None else {late.call.id: late.call}
        self._rounds: dict[str, int] = {}
        self._results: dict[str, tuple[ToolResult, datetime]] = {}
        self._begun: set[str] = set()
        self.replies: list[ReplyBody] = []
        self.since: list[Body] = []
        self.kept: list[Kept] = []

    def take(self, body: Body, at: datetime) -> None:
        match body:
            case ReplyBody():
                self.replies.append(body)
                self._calls.update({c.id: c for c in body.calls})
                self._rounds.update({c.id: len(self.replies) for c in body.calls})
            case IntentBody():
                self._begun.add(body.call_id)
            case ResultBody():
                self._results[body.result.call_id] = body.result, at
            case LateResultBody(result=ToolResult() as result) if self._is_late(body):
                self._results[result.call_id] = result, at
            case SkillBody(after=str(before)):
                text = self.replies[-1].text if self.replies else ""
                self.kept.append(Kept(before, text, len(self.replies)))
            case _:
                pass
        self.since = [] if isinstance(body, ReplyBody) else [*self.since, body]

    def _is_late(self, body: LateResultBody) -> bool:
        return self._late is not None and body.approval == self._late.id

    def open_calls(self, cards: Mapping[str, Approval]) -> tuple[OpenCall, ...]:
        return tuple(
            OpenCall(call, call.id in self._begun, cards.get(call.id))
            for call in self._calls.values()
            if call.id not in self._results
        )

    def spoken(self, cards: Iterable[str]) -> tuple[str, ...]:
        """Returns the words of replies after the last one that has a card, or was handed over."""
        asked = max((self._rounds.get(call, 0) for call in cards), default=0)
        first = max(asked, self.kept[-1].rounds if self.kept else 0)
        told = [r for r in self.replies[first:] if r.finish is not FinishReason.REFUSAL]
        return tuple(reply.text for reply in told if reply.text)

    def done(self) -> tuple[Done, ...]:
        return tuple(
            Done(self._calls[id], result, at, self._rounds.get(id, 0))
            for id, (result, at) in self._results.items()
            if id in self._calls
        )


def _trailing_empty(replies: Sequence[ReplyBody]) -> int:
    count = 0
    for reply in reversed(replies):
        if reply.text or reply.calls or reply.finish is FinishReason.PAUSE:
            break
        count += 1
    return count


def _makes_room(body: Body) -> bool:
    """Returns true for a summary or a shortening; dropping thinking alone frees little."""
    return isinstance(body, SummaryBody) or (isinstance(body, CutBody) and bool(body.shrunk))


def _is_note(body: Body, purpose: str) -> bool:
    return isinstance(body, NoteBody) and body.purpose == purpose
