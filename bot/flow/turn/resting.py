"""The long rest of a turn that failed too often or that no model served, and its next trial."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta

from bot.domain.change import AddAudit, Write
from bot.domain.consent.approval import ApprovalState
from bot.domain.tools.tool import Code, ToolCall, ToolResult
from bot.domain.turn.step import Finish, Refuse
from bot.domain.turn.transcript import AskerBody, Body, NoteBody
from bot.domain.turn.turn import TurnState
from bot.flow.log.closing import body_of, closings
from bot.flow.log.companions import Companions
from bot.flow.log.work import Work
from bot.flow.turn.card_ends import ended_cards
from bot.flow.turn.model_failure import words_of
from bot.flow.turn.probation import Probation
from bot.flow.turn.rest_card import shown_after, shown_resting, shown_unserved

_ASKS_AGAIN = "I failed before it and ask again at the next try"
_RESTS = (
    "[Steward] The program failed while it worked on this request. It is tried again later, so "
    "leave it alone until then."
)
_UNSERVED = (
    "[Steward] No model answered this request. It is tried again later, so leave it alone until "
    "then."
)
_AGAIN = "[Steward] Now go on with the request that had to wait."
_REPEATED = "[Steward] Now go on with the request that had to wait. It is repeated here:"


class Resting:
    """Lays turns down, in a state in which others can go on behind them; holds others back."""

    def __init__(self, companions: Companions, probation: Probation) -> None:
        self._companions = companions
        self._probation = probation

    async def hold_back(self, work: Work) -> None:
        """Waits until a suspected turn may be tried alone, and counts its start before it begins.

        If the program dies while it waits, the row tells the next life that the turn had not begun.
        """
        await self._probation.passed()
        await work.start.fail()

    async def rest(self, work: Work, pause: timedelta) -> None:
        """Writes the rest: no call stays open in the log, and the person gets a card."""
        row = replace(
            work.turn,
            state=TurnState.RESTING,
            rests=work.turn.rests + 1,
            rests_until=work.clock.now() + pause,
        )
        ran = _closed(work, self._companions.closed(work, Code.INTERRUPTED))
        part = await self._companions.after_results(work, row, ran)
        bodies = (*(body_of(result, work.late_approval) for _, result in ran), *part.bodies)
        real = sum(not done.result.synthetic for done in work.progress.done)
        card = shown_resting(row, work.purpose, real, pause)
        cards = ended_cards(work, ApprovalState.CANCELLED, _ASKS_AGAIN)
        late = await self._companions.parked(work)
        also = (*cards, *part.writes, card, _line(work, pause), *late)
        note = NoteBody("rest", _RESTS)
        await work.write(*bodies, note, turn=part.turn, also=also, durable=True)

    async def wait(self, work: Work, pause: timedelta, ending: Finish) -> None:
        """Writes the rest of a turn that no model could serve; it has no open call."""
        row = replace(
            work.counted(),
            state=TurnState.RESTING,
            rests=work.progress.unserved + 1,
            rests_until=work.clock.now() + pause,
        )
        real = sum(not done.result.synthetic for done in work.progress.done)
        trouble = ending.trouble
        why = words_of(trouble, owner=True)[0] if trouble is not None else ending.why
        asked = timedelta(seconds=trouble.wait or 0) if trouble is not None else timedelta()
        card = shown_unserved(row, work.purpose, real, pause, why, sooner=asked > pause)
        also = (card, _line(work, pause), *await self._companions.parked(work))
        await work.write(NoteBody("unserved", _UNSERVED), turn=row, also=also, durable=True)


def taken_up_again(work: Work) -> tuple[tuple[Body, ...], tuple[Write, ...]]:
    """Returns what is added to the log and shown when a resting turn is taken up.

    The request is repeated if others have spoken since: a model answers what comes last.
    """
    after = (shown_after(work.turn),)
    if work.turn.stop_asked is not None:
        return (), after
    if work.log.ends_with(work.turn.id):
        return (NoteBody("rest", _AGAIN),), after
    own = [entry.body for entry in work.log.entries(work.turn.id)]
    asked = tuple(dict.fromkeys(body for body in own if isinstance(body, AskerBody)))
    return (NoteBody("rest", _REPEATED if asked else _AGAIN), *asked), after


def _closed(work: Work, worded: Mapping[str, Refuse]) -> list[tuple[ToolCall, ToolResult]]:
    """The open calls with synthetic results; the call of a late card stays, as it is no reply's."""
    late = work.late_approval
    open_calls = [
        c for c in work.progress.open_calls if late is None or c.call.id != late.call.id or c.begun
    ]
    return closings(open_calls, Code.INTERRUPTED, worded)


def _line(work: Work, pause: timedelta) -> AddAudit:
    turn = work.turn
    details = {"starts": turn.attempts, "rest": turn.rests + 1, "seconds": pause.total_seconds()}
    return AddAudit(work.clock.now(), turn.chat, turn.asker, "turn.rests", turn.id, details)
