"""The desk of goals: a reply to a question, or a command, answers it, and the next run reads it."""

from datetime import datetime
from typing import Never

from bot.domain.assignments.goal import MOST_ENTRY, DiaryEntry, DiaryKind, Goal, GoalState
from bot.domain.change import AddDiary, Change, SaveGoal, Show, Write
from bot.domain.talk.message import Markdown, Outbound, OutboundKind, Press, PressAnswer
from bot.domain.talk.person import Person
from bot.domain.text.markdown import literal
from bot.domain.text.names import brief_name
from bot.domain.text.visible_text import clipped
from bot.domain.value import frozen
from bot.flow.commanding.desks import NOT_OURS, Desk, Taken, refused
from bot.flow.goals.planning import GoalPlanning
from bot.ports.clock import Clock
from bot.ports.goals import GoalRows
from bot.ports.journal import Journal

_LOOKED_AT = 20


@frozen
class GoalDesk(Desk[Never]):
    """Takes answers; an answer that comes again after a death counts once."""

    _goals: GoalRows
    _planning: GoalPlanning
    _journal: Journal
    _clock: Clock

    async def press(
        self, meant: Never, press: Press, chat: int, person: Person | None
    ) -> PressAnswer:
        """Refuses: no message has a button of this desk so far."""
        return refused(NOT_OURS)

    async def reply(
        self, chat: int, key: str, text: str, person: Person, *, asked: bool = False
    ) -> Taken:
        kind, _, rest = key.partition(":")
        turn = rest.partition(":")[0]
        goal = await self._goals.of_turn(turn) if kind == "goal" else None
        if goal is None or goal.question != key or not text.strip():
            return Taken.NO
        if not person.may_decide_for(goal.asker):
            return Taken.NO
        if goal.state is not GoalState.STUCK:
            known = await self._goals.diary(goal.id, _LOOKED_AT)
            again = any(one.id == f"{key}:answer" and one.text == _cut(text) for one in known)
            return Taken.DECIDED if again else Taken.NO
        told = f"▶️ Thanks. I go on with {literal(brief_name(goal.name))}."
        content = Outbound(OutboundKind.NOTICE, (Markdown(told),))
        writes = await self.answered(goal, text, self._clock.now())
        shown = Show(f"{key}:answered", goal.chat, content, about=turn)
        await self._journal.commit(Change((*writes, shown), durable=True))
        return Taken.DECIDED

    async def answered(self, goal: Goal, text: str, now: datetime) -> tuple[Write, ...]:
        """Returns the writes of an answer: the goal goes on at once, and the run reads it."""
        id = f"{goal.question}:answer"
        entry = DiaryEntry(id, goal.id, now, DiaryKind.ANSWER, _cut(text))
        active = goal.changed(state=GoalState.ACTIVE)
        resumed = await self._planning.resumed(goal, now, at_once=True)
        return (AddDiary(entry), SaveGoal(active, goal.version), *resumed)


def _cut(text: str) -> str:
    return clipped(text.strip(), MOST_ENTRY)
