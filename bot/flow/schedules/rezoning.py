"""Moves the tasks of a person to another time zone."""

from collections.abc import Sequence

from bot.domain.assignments.task import TaskState
from bot.domain.change import SaveTask, Write
from bot.domain.talk.errors import NoSuchChat
from bot.domain.talk.person import Person
from bot.domain.value import frozen
from bot.flow.schedules.making import TaskMaking
from bot.ports.chats import Chats
from bot.ports.clock import Clock
from bot.ports.scheduled import PersonTasks


@frozen
class Rezoning:
    _scheduled: PersonTasks
    _chats: Chats
    _making: TaskMaking
    _clock: Clock

    async def writes(self, person: Person, zone: str | None) -> Sequence[Write]:
        """Returns the writes for a person's new zone: the times on their wall stay the same.

        The tasks of a chat with a zone of its own keep it.
        """
        moved: list[Write] = []
        for task in await self._scheduled.of_person(person.id):
            if task.state is TaskState.DONE or await self._has_its_own(task.home):
                continue
            new = self._making.moved_to(task, self._making.common(zone), self._clock.now())
            moved.append(SaveTask(new, task.version))
        return moved

    async def _has_its_own(self, chat: int) -> bool:
        try:
            return (await self._chats.get(chat)).settings.timezone is not None
        except NoSuchChat:
            return True
