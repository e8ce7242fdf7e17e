"""The story of a settled turn, folded from its rows and the log."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime

from bot.domain.consent.approval import Approval
from bot.domain.money.model import Usage
from bot.domain.tools.tool import ToolCall, ToolResult
from bot.domain.turn.transcript import (
    AskerBody,
    Body,
    CutBody,
    Entry,
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


@frozen
class ToldCall:
    """A call with its end, and the card that it had."""

    call: ToolCall
    result: ToolResult | None
    card: Approval | None


@frozen
class ToldRound:
    """One reply of the model, what happened before it, and the calls in it."""

    reply: ReplyBody
    seconds: float
    """From the end of what came before it to the reply, with every new try."""
    calls: tuple[ToldCall, ...]
    before: tuple[Body, ...] = ()
    """Notes, cuts and skills that came between the round before and this one."""


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
    return TurnStory(turn, wish, sight_of(turn, until), rounds, decided, gone)


def _late(own: Sequence[Entry], card: Approval | None) -> Iterator[ToldCall]:
    for entry in own:
        match entry.body:
            case LateResultBody(result=ToolResult() as result, approval=of) if card is not None:
                if of == card.id:
                    yield ToldCall(card.call, result, card)
            case _:
                pass


def _rounds(own: Sequence[Entry], cards: Sequence[Approval]) -> Iterator[ToldRound]:
    by_call = {card.call.id: card for card in cards if card.kind == "call"}
    results = {e.body.result.call_id: e.body.result for e in own if isinstance(e.body, ResultBody)}
    before: list[Body] = []
    since: datetime | None = None
    for entry in own:
        match entry.body:
            case ReplyBody() as reply:
                seconds = (entry.at - (since or entry.at)).total_seconds()
                calls = tuple(_told(call, results, by_call) for call in reply.calls)
                yield ToldRound(reply, max(seconds, 0.0), calls, tuple(before))
                before = []
            case NoteBody() | CutBody() | SummaryBody() | SkillBody() as between:
                before.append(between)
            case _:
                pass
        since = entry.at


def _told(
    call: ToolCall, results: Mapping[str, ToolResult], cards: Mapping[str, Approval]
) -> ToldCall:
    return ToldCall(call, results.get(call.id), cards.get(call.id))
