"""The desk that gives a task new times or words: a button asks for them, and a reply gives them."""

import hashlib

from bot.domain.assignments.task import TimedTask
from bot.domain.change import Change, SaveTask, Show
from bot.domain.clock.when import WhenUnclear
from bot.domain.talk.message import (
    REPLY_WITH,
    Button,
    Hint,
    Markdown,
    Outbound,
    OutboundKind,
    Plain,
    Press,
    PressAnswer,
)
from bot.domain.talk.person import Person
from bot.domain.text.names import plain_name
from bot.domain.text.visible_text import visible
from bot.domain.turn.transcript import AskerBody
from bot.flow.approvals.desks import NOT_OURS, Taken, Unawaited, refused
from bot.flow.schedules.making import TaskMaking
from bot.flow.schedules.words import TaskWords
from bot.ports.chats import Chats
from bot.ports.clock import Clock
from bot.ports.journal import Journal
from bot.ports.outbox import Outbox
from bot.ports.scheduled import Occasion, Scheduled

PREFIX = "t"
"""The first letter of the data of a button that asks for a part of a task."""

THEIRS = "Only the one who asked for this task, or an owner, can change it."
GONE = "That task is gone. /tasks lists the tasks of this chat."

_KEY = "task:"
_WHEN, _WHAT = "when", "what"
_ASKS = {_WHEN: Hint.TIMES, _WHAT: Hint.WORK}


def asking_buttons(task: TimedTask) -> tuple[Button, ...]:
    """Returns the buttons that ask for new times and for new words."""
    return tuple(
        Button(label, f"{PREFIX}:{part}:{task.id}", _ASKS[part])
        for label, part in (("🕘 Times…", _WHEN), ("💬 Words…", _WHAT))
    )


class TaskChanging(Unawaited):
    """Nothing is changed before the reply; a reply that names no time is asked for again."""

    def __init__(
        self,
        scheduled: Scheduled,
        making: TaskMaking,
        words: TaskWords,
        journal: Journal,
        outbox: Outbox,
        chats: Chats,
        clock: Clock,
    ) -> None:
        self._chats = chats
        self._scheduled = scheduled
        self._making = making
        self._words = words
        self._journal = journal
        self._outbox = outbox
        self._clock = clock

    async def press(self, press: Press, chat: int, person: Person | None) -> PressAnswer:
        """Asks for the times or words; the task stays as it is until they come as a reply."""
        _, _, rest = press.data.partition(":")
        part, _, id = rest.partition(":")
        if person is None or part not in _ASKS:
            return refused(NOT_OURS)
        task = await self._of(chat, id)
        if task is None or not person.may_decide_for(task.asker):
            return refused(GONE if task is None else THEIRS)
        who = "" if press.private else f"{plain_name(person.name)}: "
        told = f"✏️ {who}{_ASKS[part]}\nNow it says: “{visible(_present(task, part))}”"
        await self._show(f"{_KEY}{part}:{id}:{press.handle}", chat, _question(part, told))
        return PressAnswer()

    async def reply(
        self, chat: int, key: str, text: str, person: Person, *, asked: bool = False
    ) -> Taken:
        part, _, rest = key.removeprefix(_KEY).partition(":")
        if not key.startswith(_KEY) or part not in _ASKS:
            return Taken.NO
        id = rest.partition(":")[0]
        task = await self._of(chat, id)
        theirs = task is not None and not person.may_decide_for(task.asker)
        if theirs and not asked:
            return Taken.NO
        # The same reply again, after a death, has the same answer.
        digest = hashlib.sha256(f"{key} {text}".encode(errors="replace")).hexdigest()[:12]
        answer = f"{_KEY}{part}:{id}:{digest}"
        if await self._outbox.row(answer) is not None:
            return Taken.DECIDED
        if task is None or theirs:
            why = Plain(THEIRS if theirs else GONE)
            await self._show(answer, chat, Outbound(OutboundKind.NOTICE, (why,)))
            return Taken.DECIDED
        try:
            language = await self._language(chat, person) if part == _WHEN else ""
            by = Occasion.commanded(chat, person.id, self._clock.now(), language)
            await self._change(task, part, text, by, answer)
        except WhenUnclear as fault:
            again = _question(part, f"✏️ {fault} Nothing was changed.", "other words")
            await self._show(answer, chat, again)
        return Taken.DECIDED

    def asked_key(self, data: str, handle: str) -> str | None:
        _, _, rest = data.partition(":")
        part, _, id = rest.partition(":")
        return f"{_KEY}{part}:{id}:{handle}" if part in _ASKS else None

    async def present(self, data: str, chat: int, person: Person) -> str:
        _, _, rest = data.partition(":")
        part, _, id = rest.partition(":")
        task = await self._of(chat, id)
        if part not in _ASKS or task is None or not person.may_decide_for(task.asker):
            return ""
        return _present(task, part)

    async def card_key(self, data: str, chat: int) -> str | None:
        """Returns None: the button stands below a task, which asking does not change."""
        return None

    async def _change(
        self, task: TimedTask, part: str, text: str, by: Occasion, answer: str
    ) -> None:
        new = await self._making.reworded(task, text, by, times=part == _WHEN)
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

    async def _show(self, key: str, chat: int, content: Outbound) -> None:
        await self._journal.commit(Change((Show(key, chat, content),), durable=True))


def _present(task: TimedTask, part: str) -> str:
    return task.said if part == _WHEN else task.what


def _question(part: str, text: str, wanted: str = "") -> Outbound:
    wanted = wanted or ("the new times" if part == _WHEN else "the new words")
    how = Plain(f"{REPLY_WITH}{wanted}.", style="aside")
    return Outbound(OutboundKind.NOTICE, (Plain(text), how), asks=_ASKS[part])
