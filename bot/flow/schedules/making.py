"""Makes and changes tasks, the same for commands and for tools."""

from datetime import datetime

from bot.domain.assignments.task import (
    BY_HAND,
    MOST_LEFT,
    MOST_OVER,
    MOST_TASKS,
    MOST_WHAT,
    TaskState,
    TimedTask,
)
from bot.domain.assignments.task_wish import TaskWish
from bot.domain.change import DropTask, Write
from bot.domain.clock.when import Once, Rule, WhenUnclear
from bot.domain.clock.zones import Zones
from bot.domain.talk.chat import Chat
from bot.domain.talk.message import Address
from bot.domain.talk.person import Person
from bot.domain.value import frozen, replace
from bot.flow.schedules.timetable import Timetable
from bot.ports.chats import Chats
from bot.ports.people import People
from bot.ports.scheduled import Occasion, PersonTasks


@frozen
class TaskMaking:
    """Raises WhenUnclear with a sentence for people when a wish cannot be met."""

    _scheduled: PersonTasks
    _timetable: Timetable
    _chats: Chats
    _people: People
    _zones: Zones

    async def made(self, id: str, wish: TaskWish, by: Occasion) -> TimedTask:
        """Returns a new task; nothing is stored."""
        person, home = await self._person(by.person), await self._chats.get(by.chat)
        owned = await self._scheduled.of_person(person.id)
        if sum(one.state is TaskState.ACTIVE for one in owned) >= MOST_TASKS:
            raise WhenUnclear(f"You have {MOST_TASKS} active tasks already. /tasks lists them.")
        if sum(one.state is not TaskState.DONE for one in owned) >= MOST_LEFT:
            raise WhenUnclear(f"You have {MOST_LEFT} tasks already. /tasks lists them.")
        zone = self._zones.of(person, home)
        said = " ".join((wish.when or "").split())
        rule = await self._timetable.understood(said, by.at, zone, by.language)
        place = await self._place(wish, home, person)
        task = TimedTask(
            id=id,
            chat=place.id,
            home=home.id,
            asker=person.id,
            asker_name=person.name,
            what="",
            said=said,
            rule=rule,
            zone=zone,
            created_at=by.at,
            due=self._due(rule, zone, by.at),
            planned_at=by.at,
            mandate=by.mandate,
            fresh=not isinstance(rule, Once),
            untrusted=by.mandate.foreign,
        )
        return _checked(wish.applied(task).dated(by.at))

    async def reworded(self, task: TimedTask, text: str, by: Occasion, *, times: bool) -> TimedTask:
        """Returns a task with new times, or with new words; nothing is stored."""
        said = text.strip()
        wish = TaskWish(when=said) if times else TaskWish(what=said)
        return await self.changed(task, wish, by)

    async def changed(self, task: TimedTask, wish: TaskWish, by: Occasion) -> TimedTask:
        """Returns the next version of a task; nothing is stored."""
        new = wish.applied(task).dated(by.at)
        if wish.private:
            home, person = await self._chats.get(task.home), await self._person(task.asker)
            new = replace(new, chat=(await self._place(wish, home, person)).id)
        if wish.when is not None:
            said = " ".join(wish.when.split())
            rule = await self._timetable.understood(said, by.at, task.zone, by.language)
            due = self._due(rule, task.zone, by.at)
            active = task.state if task.state is TaskState.PAUSED else TaskState.ACTIVE
            new = replace(new, rule=rule, said=said, due=due, planned_at=by.at, state=active)
        if wish.paused is not None:
            new = self._switched(new, by.at, paused=wish.paused)
        # Words or times that a narrower turn gave bind the task to its mandate.
        given = by.mandate
        if wish.what is None:  # The addresses in the words that stay count as before.
            given = replace(given, addresses=task.mandate.addresses)
        met = task.mandate.met(given)
        untrusted = task.untrusted or met.foreign
        return _checked(replace(new, mandate=met, untrusted=untrusted).changed())

    async def tidied(self, person: int) -> tuple[Write, ...]:
        """Returns the writes that remove the oldest tasks of a person that are long over."""
        owned = await self._scheduled.of_person(person)
        over = [one for one in owned if one.state is TaskState.DONE]
        oldest = sorted(over, key=lambda one: one.planned_at)[:-MOST_OVER]
        return tuple(DropTask(one.id, keeps_cards=True) for one in oldest)

    def common(self, zone: str | None) -> str:
        """Returns this zone, or the common one where somebody has none."""
        return zone or self._zones.of(None)

    def moved_to(self, task: TimedTask, zone: str, now: datetime) -> TimedTask:
        """Returns a task whose times count in another zone from now on."""
        moved = task.changed(zone=zone, planned_at=now)
        if isinstance(task.rule, Once) or task.due is None:
            return moved
        return replace(moved, due=self._timetable.next_of(moved, now))

    def _switched(self, task: TimedTask, now: datetime, *, paused: bool) -> TimedTask:
        if task.state is TaskState.DONE:
            raise WhenUnclear("This task has had its last time. Give it new times instead.")
        if paused:
            return replace(task, state=TaskState.PAUSED, why=BY_HAND)
        # What was missed during a pause is not made up for, but a single moment is.
        due = task.due if isinstance(task.rule, Once) else self._timetable.next_of(task, now)
        active = replace(task, state=TaskState.ACTIVE, why="", failures=0)
        return replace(active, due=due, planned_at=now)

    def _due(self, rule: Rule, zone: str, now: datetime) -> datetime | None:
        if isinstance(rule, Once):
            return rule.at
        return next(iter(self._timetable.times(rule, zone, now, 1)), None)

    async def _person(self, id: int) -> Person:
        person = await self._people.get(id)
        if person is None:
            raise WhenUnclear("The person who asks for it is not known any more.")
        return person

    async def _place(self, wish: TaskWish, home: Chat, person: Person) -> Chat:
        """Returns the chat in which the task answers: its home, or the private chat of a person."""
        if not wish.private or home.private:
            return home
        prefix = f"{home.address.channel}:"
        owned = (key for key, one in await self._people.accounts() if one.id == person.id)
        account = next((key for key in owned if key.startswith(prefix)), None)
        if account is None:
            raise WhenUnclear("There is no private chat with that person on this platform.")
        address = Address(home.address.channel, account.removeprefix(prefix))
        return await self._chats.at(address, private=True)


def _checked(task: TimedTask) -> TimedTask:
    if not task.what:
        raise WhenUnclear("Say what to do, as in `/schedule every weekday 09:00 | News, please`.")
    if len(task.what) > MOST_WHAT:
        told = f"That is {len(task.what):,} characters, and a task can have {MOST_WHAT:,}."
        raise WhenUnclear(told)
    return task
