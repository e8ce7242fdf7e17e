"""The story of a settled turn, folded from its rows and the log."""

from collections.abc import Iterator, Sequence
from datetime import datetime

from bot.domain.assignments.errand import Errand
from bot.domain.consent.approval import Approval
from bot.domain.money.model import Usage
from bot.domain.tools.tool import ToolCall, ToolResult
from bot.domain.turn.transcript import (
    AskerBody,
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
from bot.domain.value import frozen
from bot.flow.explaining.sight import Sight, sight_of
from bot.ports.records import PaidCall, TurnRecord


@frozen
class ToldCall:
    """A call with its end, and the card that it had."""

    call: ToolCall
    result: ToolResult | None
    card: Approval | None
    began: datetime | None = None
    """The time it was about to run; known of calls that may run only once."""
    ended: datetime | None = None
    """The time its result was stored."""


@frozen
class ToldRound:
    """One reply of the model, what happened before it, and the calls in it."""

    reply: ReplyBody
    seconds: float
    """From the end of what came before it to the reply, with every new try."""
    calls: tuple[ToldCall, ...]
    before: tuple[Body, ...] = ()
    """Notes, cuts, skills and messages that came between the round before and this one."""
    seq: int = 0
    """The number of the reply in the log."""
    since: datetime | None = None
    """The end of what came before the reply."""
    at: datetime | None = None
    """The time the reply was there."""


@frozen
class Helper:
    """An errand of the turn, with the story of its own turn."""

    errand: Errand
    story: "TurnStory | None"
    """Its story; None when its turn is not known any more."""
    paid: tuple[PaidCall, ...] = ()
    """The paid calls of its turn."""

    @property
    def estimated(self) -> bool:
        """Returns True when the tokens of one of its paid calls were estimated."""
        return any(one.estimated for one in self.paid)


@frozen
class TurnStory:
    """The turn, the wish that it was about, what was in view, and its rounds."""

    turn: Turn
    wish: str
    sight: Sight
    rounds: tuple[ToldRound, ...]
    late: tuple[ToldCall, ...] = ()
    """The call of an earlier answer whose card was decided after that answer had ended."""
    taken_back: bool = False
    """True when somebody took the turn back, so that no later one sees it."""
    begins: tuple[datetime, ...] = ()
    """The times of its entries."""
    record: TurnRecord = TurnRecord()
    """The rows about it beside the log."""
    helpers: tuple[Helper, ...] = ()
    """Its errands, in their order."""
    restarts: tuple[datetime, ...] = ()
    """The starts of the program while it was under way, or the times another process went on."""
    taken_up: bool = False
    """True where `restarts` are times at which another process went on with it."""

    @property
    def usage(self) -> Usage:
        """Returns the tokens of all its rounds."""
        return sum((one.reply.usage for one in self.rounds), Usage())


def story_of(
    turn: Turn, log: Sequence[Entry], cards: Sequence[Approval], late: Approval | None
) -> TurnStory:
    """Returns the story of a turn; `log` is its conversation, `cards` are those of the turn.

    A continuation carries on with the call of the card `late`.
    """
    own = [entry for entry in log if entry.turn == turn.id]
    wish = next((e.body.purpose for e in own if isinstance(e.body, AskerBody)), "")
    last = own[-1].seq if own else 0
    until = [entry for entry in log if entry.seq <= last]
    gone = any(isinstance(e.body, CutBody) and turn.id in e.body.without for e in log)
    rounds, decided = tuple(_rounds(own, cards)), tuple(_late(own, late))
    sight, times = sight_of(turn, until), tuple(entry.at for entry in own)
    return TurnStory(turn, wish, sight, rounds, decided, gone, times)


def _late(own: Sequence[Entry], card: Approval | None) -> Iterator[ToldCall]:
    for entry in own:
        match entry.body:
            case LateResultBody(result=ToolResult() as result, approval=of) if card is not None:
                if of == card.id:
                    yield ToldCall(card.call, result, card)
            case _:
                pass


def _rounds(own: Sequence[Entry], cards: Sequence[Approval]) -> Iterator[ToldRound]:
    ends = _Ends(own, cards)
    before: list[Body] = []
    since: datetime | None = None
    for entry in own:
        match entry.body:
            case ReplyBody() as reply:
                began = since or entry.at
                seconds = max((entry.at - began).total_seconds(), 0.0)
                calls = tuple(ends.of(call) for call in reply.calls)
                told = tuple(before)
                yield ToldRound(reply, seconds, calls, told, entry.seq, began, entry.at)
                before = []
            case AskerBody(steering=True) | NoteBody() | CutBody() | SummaryBody() as between:
                before.append(between)
            case SkillBody() as between:
                before.append(between)
            case _:
                pass
        since = entry.at


class _Ends:
    """Finds the end of each call of a turn, and the card that it had."""

    def __init__(self, own: Sequence[Entry], cards: Sequence[Approval]) -> None:
        self._cards = {card.call.id: card for card in cards if card.kind == "call"}
        self._results = {
            e.body.result.call_id: (e.body.result, e.at)
            for e in own
            if isinstance(e.body, ResultBody)
        }
        self._begun = {e.body.call_id: e.at for e in own if isinstance(e.body, IntentBody)}

    def of(self, call: ToolCall) -> ToldCall:
        result, ended = self._results.get(call.id, (None, None))
        return ToldCall(call, result, self._cards.get(call.id), self._begun.get(call.id), ended)
