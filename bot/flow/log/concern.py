"""Which turns concern plans, errands, tasks, skills and clocks, by values that they hold anyway.

They stand here, and not in the rooms of these features, so that a turn which does not use a feature
does not enter its room.
"""

from bot.domain.assignments.errand import DELEGATE
from bot.domain.assignments.task import is_run
from bot.domain.clock.zones import CLOCK_TOOLS
from bot.domain.skills.skill import USE
from bot.domain.tools.house import SUBMIT_PLAN
from bot.flow.log.work import Work


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


def without_needed_zone(work: Work) -> bool:
    """Turns that depend on the clock of a person who had told no zone, in a private chat."""
    chat, asker = work.log.chat, work.asker
    if asker is not None and asker.timezone is not None:
        return False
    needed = work.turn.origin == "task" or not CLOCK_TOOLS.isdisjoint(work.called)
    return needed and chat.private and chat.settings.timezone is None
