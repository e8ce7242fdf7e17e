"""Which turns concern a companion, told from values that a turn holds anyway: nothing is read.

They stand here, and not in the rooms of the features, so that a turn which does not use a feature
does not enter its room.
"""

from collections.abc import Callable, Sequence
from typing import TypeAlias, TypeVar

from bot.domain.assignments.errand import DELEGATE
from bot.domain.assignments.task import is_run
from bot.domain.skills.skill import USE
from bot.domain.tools.tool_names import SUBMIT_PLAN
from bot.flow.log.work import Work

A = TypeVar("A")

Concern: TypeAlias = Callable[[Work], bool]

_LONG = 9.0
"""Seconds of a run from which on something may have been shown because it takes long."""


def every_turn(work: Work) -> bool:
    del work
    return True


def by_origin(*origins: str) -> Concern:
    """Turns that were started so."""
    return lambda work: work.turn.origin in origins


def by_calls(*tools: str) -> Concern:
    """Turns whose model has called one of these tools, or any tool if none is named."""
    return lambda work: bool(work.called.intersection(tools) if tools else work.called)


def of_plans(work: Work) -> bool:
    return work.plan is not None or SUBMIT_PLAN in work.called


def of_errands(work: Work) -> bool:
    """Turns on an errand, turns with errands under way, and turns with a budget of their own."""
    sent = bool(work.agenda.errands) or DELEGATE in work.called
    return sent or work.turn.mandate.money is not None


def of_runs(work: Work) -> bool:
    """Runs of tasks and their errands."""
    turn = work.turn
    return turn.origin == "task" or (turn.parent is not None and is_run(turn.parent))


def of_skills(work: Work) -> bool:
    """Turns with a skill, in chats that chose one, or where a skill's rules may still count."""
    turn, chat = work.turn, work.log.chat
    chosen = turn.skill is not None or chat.skill is not None or USE in work.called
    return chosen or chat.offered is not None or turn.stages > 0


def shows_skill(work: Work) -> bool:
    """Turns of skills, and turns that have a skill in view."""
    view = work.log.view
    return of_skills(work) or (view is not None and view.skill is not None)


def with_another_model(work: Work) -> bool:
    """Turns that have another model than at their first start, or may have one."""
    return work.resumed or work.turn.model != work.began_with


def with_footer(work: Work) -> bool:
    return work.log.chat.settings.footer


def with_voice(work: Work) -> bool:
    return work.log.chat.settings.voice


def without_zone(work: Work) -> bool:
    """Turns in a private chat whose person has told no zone, when the turn began."""
    chat, asker = work.log.chat, work.asker
    told = asker is not None and asker.timezone is not None
    return chat.private and not told and chat.settings.timezone is None


def with_ways(work: Work) -> bool:
    """Turns that follow an end with buttons, that took long, or that do not end with an answer."""
    if work.resumed or work.agenda.leads_on is not None or work.clock.steady() > work.began + _LONG:
        return True
    return work.ends_whole is False


def asked(answers: Sequence[tuple[Concern, A]], work: Work) -> list[A]:
    """Returns the answers of the companions that this turn concerns, in their order."""
    return [answer for concern, answer in answers if concern(work)]
