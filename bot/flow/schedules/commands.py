"""The commands about tasks that run at their times."""

from collections.abc import Awaitable, Callable, Sequence
from typing import TypeAlias

from bot.domain.assignments.task import Allowed, Overlap, TimedTask, task_id
from bot.domain.assignments.task_wish import TaskWish
from bot.domain.change import AskStop, SaveTask, Write
from bot.domain.clock.when import WhenUnclear
from bot.domain.clock.when_words import EXAMPLES
from bot.domain.text.markdown import inline_code, literal
from bot.domain.text.names import named
from bot.domain.value import frozen, replace
from bot.flow.commanding.choices import choice
from bot.flow.commanding.effects import Interrupt, Wake
from bot.flow.commanding.pages import LISTED
from bot.flow.commanding.table import Answer, Command, Invocation, Topic
from bot.flow.schedules.calls import TaskCalls
from bot.flow.schedules.changing import THEIRS, asking_buttons
from bot.flow.schedules.firing import Firing
from bot.flow.schedules.keeping import removed
from bot.flow.schedules.making import TaskMaking
from bot.flow.schedules.menu import delete_menu, edit_menu
from bot.flow.schedules.task_pages import TaskWords
from bot.ports.clock import Clock
from bot.ports.scheduled import Occasion, TaskRows

_HOW = "Write `/schedule <when> | <what>`, as in `/schedule every weekday 09:00 | News, please`."
_UNHEARD = "If it has nothing to report, you hear nothing more."
_EDITS = (
    "Which task? Write `/tasks edit <number> <when> | <what>`, or `/tasks limit <number> runs 5`. "
    "/tasks lists them with their numbers."
)
_FOR_GOOD = "Delete it? I cannot bring it back."

_LOOKED_AT = 200
"""Tasks of a chat among which one looks for its number."""

_MOST_DIGITS = 4
_FORMS = {
    "own": TaskWish(fresh=True),
    "chat": TaskWish(fresh=False),
    "ask": TaskWish(allowed=Allowed.ASK),
    "readonly": TaskWish(allowed=Allowed.READONLY),
}
_OVERLAPS = frozenset(Overlap)


AskedClock: TypeAlias = Callable[[Invocation], Awaitable[Sequence[Write]]]
"""Returns the question which clock a person uses, where nobody knows it."""


@frozen
class TaskCommands:
    _scheduled: TaskRows
    _making: TaskMaking
    _firing: Firing
    _words: TaskWords
    _calls: TaskCalls
    _clock: Clock
    _asked_clock: AskedClock | None = None
    """Returns the question for people whose clock nobody knows; None where a setting tells it."""

    @property
    def table(self) -> Sequence[Command]:
        return (
            Command(
                "schedule",
                "do something later, or again and again",
                self.schedule,
                "<when> | <what>",
                Topic.PLANS,
            ),
            Command(
                "tasks", "the scheduled tasks", self.tasks, "[number]", Topic.PLANS, chosen=True
            ),
        )

    async def schedule(self, asked: Invocation) -> Answer:
        """Makes a task: the person wrote it, so no card asks."""
        when, bar, what = _behind(asked).partition("|")
        if not bar or not when.strip() or not what.strip():
            examples = "\n".join(f"- `/schedule {one} | …`" for one in EXAMPLES)
            return Answer(f"{_HOW} For <when> I understand:\n{examples}")
        id = task_id("command", str(asked.row))
        try:
            wish = TaskWish(when.strip(), what.strip())
            task = await self._making.made(id, wish, self._occasion(asked))
        except WhenUnclear as fault:
            return Answer(str(fault))
        question = () if self._asked_clock is None else await self._asked_clock(asked)
        writes = (SaveTask(task), *await self._making.tidied(asked.person.id), *question)
        shown = await self._words.shown(task, asked.chat.id, "⏰ Scheduled.")
        return replace(shown, writes=writes)

    async def tasks(self, asked: Invocation) -> Answer:
        """Lists the tasks of the chat, or does something with one of them."""
        match asked.words:
            case ():
                return await self._listed(asked, 1)
            case ("page", number) if number.isdecimal():
                return await self._listed(asked, int(number[:_MOST_DIGITS]))
            case (id,) | ("show", id):
                return await self._shown(asked, id)
            case ("edit", id, *_):
                return await self._edited(asked, id)
            case ("allow" | "disallow" as verb, id, mark):
                return await self._allowed(asked, verb, id, mark)
            case ("limit", id, *bounds):
                return await self._bounded(asked, id, bounds)
            case (verb, id):
                return await self._done(asked, verb, id)
            case _:
                return Answer(_EDITS)

    async def _listed(self, asked: Invocation, page: int) -> Answer:
        page = max(page, 1)
        found = await self._scheduled.of_chat(asked.chat.id, LISTED + 1, (page - 1) * LISTED)
        if not found:
            return Answer(f"There are no tasks {'here' if page == 1 else 'on that page'}. {_HOW}")
        return await self._words.list_of(found, page, asked.chat.id)

    async def _shown(self, asked: Invocation, id: str) -> Answer:
        task = await self._of(asked, id)
        if task is None and id in ("edit", "limit"):
            return Answer(_EDITS)
        if task is None:
            return _unknown(id)
        return await self._words.shown(task, asked.chat.id)

    async def _done(self, asked: Invocation, verb: str, id: str) -> Answer:
        task = await self._theirs(asked, id)
        if isinstance(task, Answer):
            return task
        match verb:
            case "pause" | "resume":
                return await self._changed(asked, task, TaskWish(paused=verb == "pause"))
            case "run":
                return await self._run_now(asked, task)
            case "delete" | "drop":
                # A number names another task once the list changed.
                sure = verb == "drop" and id == task.id
                return await self._deleted(task) if sure else _asked_to_delete(task)
            case "calls":
                return await self._calls.shown(task)
            case _ if verb in _FORMS:
                return await self._changed(asked, task, _FORMS[verb])
            case _ if verb in _OVERLAPS:
                return await self._overlapped(asked, task, TaskWish(overlap=Overlap(verb)))
            case _:
                return Answer(_EDITS)

    async def _edited(self, asked: Invocation, id: str) -> Answer:
        """Changes times and words, or tells how."""
        task = await self._theirs(asked, id)
        if isinstance(task, Answer):
            return task
        _, _, rest = _behind(asked).partition(id)
        when, bar, what = rest.partition("|")
        if not bar or not (when.strip() or what.strip()):
            return await self._edit_menu(asked, task)
        wish = TaskWish(when.strip() or None, what.strip() or None)
        return await self._changed(asked, task, wish)

    async def _edit_menu(self, asked: Invocation, task: TimedTask) -> Answer:
        now = inline_code(
            f"/tasks edit {await self._number(asked, task)} {task.said} | "
            f"{' '.join(task.what.split())}"
        )
        told = (
            f"{await self._words.whole(task, asked.chat.id)}\n\nIf it is time for a new run while "
            "an older one is still running, I do what is marked with ✓ below. To change both "
            f"times and words, send this with your changes:\n\n{now}"
        )
        return Answer(told, buttons=edit_menu(task, asking_buttons(task)), optional=True)

    async def _allowed(self, asked: Invocation, verb: str, id: str, mark: str) -> Answer:
        """Lets runs make a call without a card, or takes that back."""
        task = await self._theirs(asked, id)
        if isinstance(task, Answer):
            return task
        if verb == "allow":
            return await self._calls.allowed(asked, task, mark)
        return await self._calls.taken_back(task, mark)

    async def _bounded(self, asked: Invocation, id: str, bounds: Sequence[str]) -> Answer:
        """Sets the bounds of a day: `runs 5 rounds 40 dollars 0.50`, or `off`."""
        task = await self._theirs(asked, id)
        if isinstance(task, Answer):
            return task
        try:
            limits = self._words.limits(task.limits, bounds)
        except ValueError as fault:
            return Answer(str(fault))
        return await self._saved(asked, task, task.changed(limits=limits))

    async def _changed(self, asked: Invocation, task: TimedTask, wish: TaskWish) -> Answer:
        try:
            new = await self._making.changed(task, wish, self._occasion(asked))
        except WhenUnclear as fault:
            return Answer(str(fault))
        return await self._saved(asked, task, new)

    async def _overlapped(self, asked: Invocation, task: TimedTask, wish: TaskWish) -> Answer:
        new = await self._making.changed(task, wish, self._occasion(asked))
        menu = await self._edit_menu(asked, new)
        return replace(menu, writes=(SaveTask(new, task.version),))

    async def _saved(self, asked: Invocation, task: TimedTask, new: TimedTask) -> Answer:
        shown = await self._words.shown(new, asked.chat.id)
        return replace(shown, writes=(SaveTask(new, task.version),))

    async def _run_now(self, asked: Invocation, task: TimedTask) -> Answer:
        # The moment stands for the due time: carried out again after a crash, it is the same run.
        at = asked.message.sent_at
        writes = await self._firing.now(task, at)
        if isinstance(writes, str):
            return Answer(f"It does not run now: {writes}.")
        told = f"⏩ Started: {named(task.name)}\n\n{_UNHEARD}"
        buttons = (choice("◂ Back", "tasks", "show", task.id),)
        return Answer(told, writes, (Wake(task.chat),), buttons, optional=True)

    async def _deleted(self, task: TimedTask) -> Answer:
        writes = await removed(task, self._scheduled)
        stops = tuple(Interrupt(task.chat) for one in writes if isinstance(one, AskStop))[:1]
        return Answer(f"🗑 Deleted: {named(task.name)}", writes, stops)

    async def _theirs(self, asked: Invocation, id: str) -> TimedTask | Answer:
        """Returns a task of this chat that the person may change, or the refusal."""
        task = await self._of(asked, id)
        if task is None:
            return _unknown(id)
        return task if asked.person.may_decide_for(task.asker) else Answer(THEIRS)

    async def _of(self, asked: Invocation, id: str) -> TimedTask | None:
        """Returns the task of this chat with that id, or with that number in the list."""
        if id.isdecimal() and len(id) <= _MOST_DIGITS:
            found = await self._scheduled.of_chat(asked.chat.id, 1, int(id) - 1) if int(id) else ()
            return next(iter(found), None)
        task = await self._scheduled.get(id)
        if task is None or task.paces:
            return None
        return task if asked.chat.id in (task.chat, task.home) else None

    async def _number(self, asked: Invocation, task: TimedTask) -> str:
        """Returns the number of a task in the list; of one far down its id."""
        found = await self._scheduled.of_chat(asked.chat.id, _LOOKED_AT)
        return next((str(n) for n, one in enumerate(found, 1) if one.id == task.id), task.id)

    def _occasion(self, asked: Invocation) -> Occasion:
        message = asked.message
        return Occasion.commanded(
            asked.chat.id, asked.person.id, self._clock.now(), message.language
        )


def _asked_to_delete(task: TimedTask) -> Answer:
    told = f"🗑 **{named(task.name)}** · {literal(task.said)}\n\n{_FOR_GOOD}"
    return Answer(told, buttons=delete_menu(task), optional=True)


def _behind(asked: Invocation) -> str:
    """Returns everything behind the name of the command, with its lines."""
    _, *behind = asked.message.text.split(maxsplit=1)
    return behind[0] if behind else ""


def _unknown(id: str) -> Answer:
    return Answer(f"This chat has no task {inline_code(id[:40])}. /tasks lists them.")
