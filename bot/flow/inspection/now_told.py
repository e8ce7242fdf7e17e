"""Answers under way, and cards and plans that wait, as lines for one person."""

from datetime import datetime

from bot.domain.clock.span import figure, span
from bot.domain.consent.approval import UNENDING, Approval
from bot.domain.plans.plan import Plan
from bot.domain.talk.person import Person
from bot.domain.text.names import plain_name
from bot.domain.text.visible_text import one_line, visible
from bot.domain.tools.call_words import Conceal
from bot.domain.turn.turn import Turn, TurnState
from bot.domain.value import frozen
from bot.flow.commanding.wording import counted
from bot.flow.inspection.places import Places, plan_named
from bot.ports.meaning import MeaningCondition
from bot.ports.now_page import RunLine, WaitLine

_LONGEST = 100


@frozen
class NowTeller:
    """Tells lines to one person."""

    reader: Person
    now: datetime
    conceal: Conceal
    places: Places

    def run(self, turn: Turn) -> RunLine:
        helper = ", a helper" if turn.origin == "errand" else ""
        return RunLine(
            turn.id,
            self.places.of(turn.chat),
            f"{self._who(turn.asker, plain_name(turn.asker_name))}{helper}",
            _doing(turn),
            figure((self.now - turn.created_at).total_seconds()),
            self.reader.may_decide_for(turn.asker),
        )

    def card(self, card: Approval) -> WaitLine:
        mine = self.reader.may_approve(card.asker, card.preview.needs)
        return WaitLine(
            card.id,
            one_line(self.conceal(card.preview.title), _LONGEST),
            f"{self.places.of(card.chat)}, {self._who(card.asker, plain_name(card.asker_name))}",
            "you" if mine else "an owner",
            _left(card.expires_at, self.now),
            None if card.expires_at == UNENDING else _seconds(card.expires_at, self.now),
        )

    def plan(self, plan: Plan) -> WaitLine:
        return WaitLine(
            plan.id,
            plan_named(plan.title, self.conceal),
            f"{self.places.of(plan.chat)}, {self._who(plan.asker, plain_name(plan.asker_name))}",
            "you" if not plan.owner_chats or self.reader.is_owner else "an owner",
            "no end",
        )

    def _who(self, asker: int, name: str) -> str:
        return "you" if asker == self.reader.id else name


def index_told(condition: MeaningCondition, conceal: Conceal) -> str:
    """Returns the state of the index of meaning in a few words."""
    if condition.fault:
        return (
            f"off now, I search by words: {visible(one_line(conceal(condition.fault), _LONGEST))}"
        )
    if condition.owed:
        return f"{counted(condition.owed, 'answer')} not in its index yet"
    return "all answers are indexed" if condition.ready else "is starting"


def _left(until: datetime, now: datetime) -> str:
    return "no end" if until == UNENDING else span(_seconds(until, now))


def _seconds(until: datetime, now: datetime) -> int:
    return max(int((until - now).total_seconds()), 0)


def _doing(turn: Turn) -> str:
    match turn.state:
        case TurnState.QUEUED:
            return "waits its turn"
        case TurnState.RESTING:
            return "failed, and waits for its next try"
        case _:
            calls = f", {counted(turn.calls, 'call')}" if turn.calls else ""
            return f"round {turn.rounds + 1}{calls}"
