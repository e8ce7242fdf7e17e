"""Chooses the next job of a chat.

An unfinished turn comes first, then a trial that is due, then a queued turn, then a waiting
message, then the run of a task; among equals the oldest.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import TypeAlias

from bot.domain.assignments.errand import ErrandState
from bot.domain.clock.ahead import is_ahead
from bot.domain.consent.approval import Approval, ApprovalState
from bot.domain.turn.turn import Turn, TurnState
from bot.domain.value import frozen, replace
from bot.ports.inbox import InboundRow
from bot.ports.journal import Agenda

_UNASKED = ("task", "hook", "reflection")
"""The origins of turns that no person waits for."""


@frozen
class TakeUp:
    """Runs a turn: a queued one, or an unfinished one from where it stands."""

    turn: Turn


@frozen
class SetAside:
    """Ends a parked turn because something newer waits; its cards stay open."""

    turn: Turn


@frozen
class Open:
    """Opens a turn for the oldest waiting message."""

    row: InboundRow


Job: TypeAlias = TakeUp | SetAside | Open

Decisions: TypeAlias = frozenset[tuple[str, ApprovalState]]
"""The cards of a parked turn as they stood when it parked."""


def next_job(agenda: Agenda, parked: Decisions | None) -> Job | None:
    """Returns the next job: a running turn, a parked one, a resting one that is due or stopped,
    then a queued one, then a waiting message, then the run of a task.

    `parked` has the states of the cards when the turn last parked in this drain. While they are
    unchanged, the turn stays parked; a newer message or turn sets it aside. While an errand of the
    turn works, others wait, as they do behind a running turn.
    """
    first = _under_way(agenda)
    if first is not None:
        return TakeUp(first)
    trials = [turn for turn in agenda.unfinished if turn.state is TurnState.RESTING]
    for turn in agenda.unfinished:
        if turn.state is TurnState.PARKED:
            stand = decisions(turn, agenda.approvals)
            if stand != parked and any(state is not ApprovalState.OPEN for _, state in stand):
                return TakeUp(turn)
            errands = agenda.sent_by(turn.id)
            if any(one.done for one in errands):
                return TakeUp(turn)
            if any(one.state is ErrandState.WORKING for one in errands):
                return None
            return SetAside(turn) if agenda.waiting or agenda.queued or trials else None
    if trials:
        return TakeUp(trials[0])
    # People go before tasks that run at their times, and before calls of other programs.
    asked = next((turn for turn in agenda.queued if turn.origin not in _UNASKED), None)
    if asked is None and agenda.waiting:
        return Open(agenda.waiting[0])
    first = asked or next(iter(agenda.queued), None)
    return TakeUp(first) if first is not None else None


def _under_way(agenda: Agenda) -> Turn | None:
    """Returns the running turn, or else a parked one that was stopped.

    A resting turn that was stopped comes behind them: its end is an entry, and an entry may not
    come between the calls of a turn and their results.
    """
    running = (turn for turn in agenda.unfinished if turn.state is TurnState.RUNNING)
    parked = (turn for turn in agenda.unfinished if turn.state is TurnState.PARKED)
    return next(running, None) or next((turn for turn in parked if turn.stop_asked), None)


def without_resting(agenda: Agenda, now: datetime, longest: timedelta) -> Agenda:
    """Returns the agenda without turns that rest on, so that others go first."""
    due = tuple(turn for turn in agenda.unfinished if not _rests_on(turn, now, longest))
    return agenda if len(due) == len(agenda.unfinished) else replace(agenda, unfinished=due)


def next_trial(agenda: Agenda) -> datetime | None:
    """Returns when the first rest of the agenda's turns is over."""
    trials = (turn.rests_until for turn in agenda.unfinished if turn.rests_until is not None)
    return min(trials, default=None)


def _rests_on(turn: Turn, now: datetime, longest: timedelta) -> bool:
    if turn.state is not TurnState.RESTING or turn.stop_asked is not None:
        return False
    return turn.rests_until is not None and is_ahead(turn.rests_until, now, longest)


def decisions(turn: Turn, approvals: Sequence[Approval]) -> Decisions:
    return frozenset((a.id, a.state) for a in approvals if a.turn == turn.id)
