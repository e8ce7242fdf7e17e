"""One call of a goal's tools: its entry in the diary, and its message to people."""

from dataclasses import dataclass
from datetime import datetime

from bot.domain.assignments.goal import MOST_ENTRY, DiaryEntry, DiaryKind, Goal
from bot.domain.change import AddDiary, Show
from bot.domain.talk.message import Call, Outbound
from bot.domain.text.visible_text import clipped
from bot.domain.tools.tool import ToolCall
from bot.flow.log.foreign_addresses import as_wanted
from bot.flow.log.work import Work


@dataclass(slots=True)
class GoalCall:
    """One call of `goal_update`, as it is carried out."""

    work: Work
    call: ToolCall
    goal: Goal
    now: datetime
    untrusted: str | None

    @property
    def key(self) -> str:
        return f"goal:{self.work.turn.id}:{self.call.id}"

    def entry(self, kind: DiaryKind, text: str) -> AddDiary:
        id = f"{self.work.turn.id}:{self.call.id}:{kind}"
        words = clipped(text.strip(), MOST_ENTRY)
        entry = DiaryEntry(
            id, self.goal.id, self.now, kind, words, self.work.turn.id, self.untrusted
        )
        return AddDiary(entry)

    def asks(self, content: Outbound) -> Show:
        return self.show(content, Call.NEEDS)

    def ends(self, content: Outbound) -> Show:
        return self.show(content, Call.DONE)

    def show(self, content: Outbound, call: Call = Call.NONE) -> Show:
        told, turn = as_wanted(self.work, content), self.work.turn.id
        return Show(self.key, self.goal.chat, told, about=turn, call=call)
