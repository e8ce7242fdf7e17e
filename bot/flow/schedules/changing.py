"""The desk that gives a task new times or words: a button asks for them, and a reply gives them."""

from enum import StrEnum

from bot.domain.assignments.task import TimedTask
from bot.domain.change import Change, SaveTask, Show
from bot.domain.clock.when import WhenUnclear
from bot.domain.talk.button_data import ButtonCodec
from bot.domain.talk.message import Button, Hint, Markdown, Outbound, OutboundKind, Plain, Press
from bot.domain.talk.person import Person
from bot.domain.text.visible_text import visible
from bot.domain.turn.transcript import AskerBody
from bot.domain.value import frozen
from bot.flow.commanding.asking_desk import AskingDesk, answer_to, asked_of, question
from bot.flow.commanding.desks import Taken
from bot.flow.schedules.making import TaskMaking
from bot.flow.schedules.task_pages import TaskWords
from bot.ports.chats import Chats
from bot.ports.clock import Clock
from bot.ports.journal import Journal
from bot.ports.outbox import Outbox
from bot.ports.scheduled import Occasion, TaskRows

THEIRS = "Only the one who asked for this task, or an owner, can change it."
GONE = "That task is gone. /tasks lists the tasks of this chat."

_KEY = "task"


class TaskPart(StrEnum):
    WHEN = "when"
    WHAT = "what"


@frozen
class TaskButton:
    """The meaning of a button: it asks for a part of a task."""

    part: TaskPart
    task: str


TASK_BUTTONS = ButtonCodec("t", TaskButton)
_QUESTIONS = ButtonCodec(_KEY, TaskButton)
"""Reads the outbound keys of questions, without their ends."""

_ASKS = {TaskPart.WHEN: Hint.TIMES, TaskPart.WHAT: Hint.WORK}


def asking_buttons(task: TimedTask) -> tuple[Button, ...]:
    """Returns the buttons that ask for new times and for new words."""
    return tuple(
        TASK_BUTTONS.button(label, TaskButton(part, task.id), _ASKS[part])
        for label, part in (("🕘 Times…", TaskPart.WHEN), ("💬 Words…", TaskPart.WHAT))
    )


class TaskChanging(AskingDesk[TaskButton]):
    """A reply that names no time is asked for again."""

    buttons = (TASK_BUTTONS,)

    def __init__(
        self,
        scheduled: TaskRows,
        making: TaskMaking,
        words: TaskWords,
        journal: Journal,
        outbox: Outbox,
        chats: Chats,
        clock: Clock,
    ) -> None:
        super().__init__(journal, outbox)
        self._chats = chats
        self._scheduled = scheduled
        self._making = making
        self._words = words
        self._clock = clock

    def stem(self, meant: TaskButton) -> str | None:
        return _QUESTIONS.data(meant)

    async def question(
        self, meant: TaskButton, press: Press, chat: int, person: Person
    ) -> Outbound | str:
        task = await self._of(chat, meant.task)
        if task is None:
            return GONE
        if not person.may_decide_for(task.asker):
            return THEIRS
        words = f"{_ASKS[meant.part]}\nNow it says: “{visible(_present(task, meant.part))}”"
        return _question(meant.part, asked_of(press, person, words))

    async def reply(
        self, chat: int, key: str, text: str, person: Person, *, asked: bool = False
    ) -> Taken:
        meant = _QUESTIONS.read(key.rpartition(":")[0])
        if meant is None:
            return Taken.NO
        part, task = meant.part, await self._of(chat, meant.task)
        theirs = task is not None and not person.may_decide_for(task.asker)
        if theirs and not asked:
            return Taken.NO
        answer = answer_to(key, text)
        if await self._answered(answer):
            return Taken.DECIDED
        if task is None or theirs:
            why = Plain(THEIRS if theirs else GONE)
            await self._show(answer, chat, Outbound(OutboundKind.NOTICE, (why,)))
            return Taken.DECIDED
        try:
            language = await self._language(chat, person) if part is TaskPart.WHEN else ""
            by = Occasion.commanded(chat, person.id, self._clock.now(), language)
            await self._change(task, part, text, by, answer)
        except WhenUnclear as fault:
            again = _question(part, f"✏️ {fault} Nothing was changed.", "other words")
            await self._show(answer, chat, again)
        return Taken.DECIDED

    async def present(self, meant: TaskButton, chat: int, person: Person) -> str:
        task = await self._of(chat, meant.task)
        if task is None or not person.may_decide_for(task.asker):
            return ""
        return _present(task, meant.part)

    async def _change(
        self, task: TimedTask, part: TaskPart, text: str, by: Occasion, answer: str
    ) -> None:
        new = await self._making.reworded(task, text, by, times=part is TaskPart.WHEN)
        shown = await self._words.shown(new, by.chat)
        content = Outbound(OutboundKind.OPTION, (Markdown(shown.text),), shown.buttons)
        writes = (SaveTask(new, task.version), Show(answer, by.chat, content))
        await self._journal.commit(Change(writes, durable=True))

    async def _language(self, chat: int, person: Person) -> str:
        """Returns the language of the person's app, as their newest message here told it."""
        entries = await self._journal.entries((await self._chats.get(chat)).conversation)
        said = (entry.body for entry in reversed(entries))
        mine = (b for b in said if isinstance(b, AskerBody) and b.person == person.id)
        return next((body.language for body in mine if body.language), "")

    async def _of(self, chat: int, id: str) -> TimedTask | None:
        task = await self._scheduled.get(id)
        return task if task is not None and chat in (task.chat, task.home) else None


def _present(task: TimedTask, part: TaskPart) -> str:
    return task.said if part is TaskPart.WHEN else task.what


def _question(part: TaskPart, text: str, wanted: str = "") -> Outbound:
    wanted = wanted or ("the new times" if part is TaskPart.WHEN else "the new words")
    return question(Plain(text), _ASKS[part], wanted)
