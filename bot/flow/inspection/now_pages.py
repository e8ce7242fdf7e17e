"""Tells of now: answers under way, cards that wait, tasks, and the program itself."""

from collections.abc import Callable, Sequence
from datetime import datetime
from importlib.metadata import version

from bot.domain.assignments.hook import BrokenHook
from bot.domain.clock.span import span
from bot.domain.clock.zones import Zones
from bot.domain.money.money import told
from bot.domain.talk.person import Person
from bot.domain.text.names import plain_name
from bot.domain.value import frozen, replace
from bot.flow.commanding.wording import counted, sentence
from bot.flow.inspection.channels_told import ChannelTeller
from bot.flow.inspection.now_told import NowTeller, index_told
from bot.flow.inspection.places import Places
from bot.flow.inspection.tasks_told import TaskTeller
from bot.flow.money.till import Till
from bot.flow.world import StorePorts, World
from bot.ports.now_page import NowOrder, NowPage
from bot.ports.turn_page import Figure

_MOST = 50
"""Lines of each list."""


@frozen
class NowInspection:
    """Shows people their own work, and owners everybody's with the program around it."""

    _store: StorePorts
    _world: World
    _channels: ChannelTeller
    _tasks: TaskTeller
    _till: Till
    _places: Callable[[], Places]
    _zones: Zones
    _began: datetime

    async def now(self, reader: Person) -> NowPage:
        whose, now = None if reader.is_owner else reader.id, self._world.clock.now()
        turns = await self._store.records.at_work(whose, _MOST)
        cards = await self._store.records.open(whose, None, _MOST)
        plans = await self._store.records.plans(whose, None, _MOST)
        places = self._places()
        await places.read(one.chat for one in (*turns, *cards, *plans))
        teller = NowTeller(reader, now, self._world.conceal, places)
        waits = (*map(teller.card, cards), *map(teller.plan, plans))
        tasks, more_tasks = await self._tasks.lines(whose, now, self._zones.of(reader))
        goals, more_goals = await self._tasks.goals(reader.id)
        cut = {
            "runs": bool(_more(turns)),
            "waits": bool(_more(cards, plans)),
            "tasks": more_tasks,
            "goals": more_goals,
            "hooks": self._world.hooks is not None and len(self._world.hooks.known) > _MOST,
        }
        page = NowPage(
            sentence(
                f"{counted(len(turns), 'answer')}{_more(turns)} under way, "
                f"{counted(len(waits), 'card')}{_more(cards, plans)} waiting for a person"
            ),
            tuple(map(teller.run, turns)),
            waits,
            tasks,
            goals,
            cut=frozenset(name for name, is_cut in cut.items() if is_cut),
        )
        return await self._with_program(page, now) if reader.is_owner else page

    async def order(self, reader: Person, kind: str, id: str, verb: str) -> NowOrder | None:
        if kind != "turn":
            return await self._tasks.order(reader, kind, id, verb)
        turn = await self._store.turns.get(id)
        if turn is None or verb != "stop" or not reader.may_decide_for(turn.asker):
            return None
        # The chat of a helper is its own home: it is stopped where it was sent out.
        sender = None if turn.parent is None else await self._store.turns.get(turn.parent)
        return NowOrder((sender or turn).chat, "stop", ())

    async def _with_program(self, page: NowPage, now: datetime) -> NowPage:
        limit, spent = await self._till.today()
        budget = "without a budget" if limit is None else f"of {told(limit)}"
        return replace(
            page,
            channels=await self._channels.channels(now),
            models=await self._channels.models(now),
            today=f"{told(spent)} {budget} today",
            hooks=await self._hooks(),
            program=await self._program(now),
        )

    async def _hooks(self) -> tuple[str, ...]:
        if self._world.hooks is None:
            return ()
        known = dict(sorted(self._world.hooks.known.items())[:_MOST])
        last = await self._store.hook_calls.last(list(known))
        lines: list[str] = []
        for name, hook in known.items():
            call = last.get(name)
            told = "no call yet" if call is None else f"last call {call.at:%Y-%m-%d %H:%M} UTC"
            broken = isinstance(hook, BrokenHook)
            lines.append(f"{plain_name(name)} · {'its file cannot be used' if broken else told}")
        return tuple(lines)

    async def _program(self, now: datetime) -> tuple[Figure, ...]:
        owed = await self._store.memory.count_owed()
        held = self._world.holds()
        later = f"{counted(owed, 'answer')} cannot be found yet"
        found = later if owed else "every answer can be found"
        waited = f"{counted(held.times, 'time')}, at most {held.longest:.1f} s"
        return (
            Figure("Version", version("steward")),
            Figure("Running for", span((now - self._began).total_seconds())),
            Figure("Memory", found),
            *await self._meaning(),
            Figure("All chats had to wait", waited if held.times else "never"),
            Figure("Commands", await self._world.commands_run()),
        )

    async def _meaning(self) -> tuple[Figure, ...]:
        """Returns the state of the index of meaning, where one is set up."""
        if self._world.meaning is None:
            return ()
        condition = await self._world.meaning.condition()
        return (Figure("Search by meaning", index_told(condition, self._world.conceal)),)


def _more(*lists: Sequence[object]) -> str:
    """Returns words for a count of lists of which one may have been cut."""
    return " or more" if any(len(one) == _MOST for one in lists) else ""
