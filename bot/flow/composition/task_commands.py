"""The commands about tasks, about goals and about the clock in which they count, put together."""

from collections.abc import Mapping

from bot.flow.approvals.desks import PLACES, Desk
from bot.flow.commanding.table import Command
from bot.flow.composition.goal_commands import goal_commands
from bot.flow.composition.one_turn import OneTurn
from bot.flow.people.personal import PersonalCommands
from bot.flow.people.zone_asking import ZoneAsking
from bot.flow.schedules.calls import TaskCalls
from bot.flow.schedules.changing import PREFIX, TaskChanging
from bot.flow.schedules.commands import TaskCommands
from bot.flow.schedules.rezoning import Rezoning
from bot.flow.schedules.words import TaskWords
from bot.flow.world import Policy, StorePorts, World
from bot.ports.journal import Journal


def task_commands(
    store: StorePorts, world: World, policy: Policy, one_turn: OneTurn
) -> tuple[Command, ...]:
    """Returns `/schedule`, `/tasks`, `/goal` and `/goals`, then `/about` and `/timezone`."""
    parts, scheduled, clock = one_turn.schedules, store.scheduled, world.clock
    words = TaskWords(scheduled, parts.timetable)
    calls = TaskCalls(scheduled, store.approvals, clock)
    tasks = TaskCommands(scheduled, parts.making, parts.firing, words, calls, clock)
    rezoning = _rezoning(store, world, one_turn)
    personal = PersonalCommands(one_turn.way_in.zones, clock, rezoning.writes, world.channels)
    return (*tasks.table, *goal_commands(store, policy, one_turn), *personal.table)


def task_desks(
    store: StorePorts, world: World, one_turn: OneTurn, journal: Journal
) -> Mapping[str, Desk]:
    """Returns the desks of the buttons that change tasks, and of those that ask for a clock."""
    parts = one_turn.schedules
    words = TaskWords(store.scheduled, parts.timetable)
    desk = TaskChanging(
        store.scheduled, parts.making, words, journal, store.outbox, store.chats, world.clock
    )
    rezoned = _rezoning(store, world, one_turn).writes
    zones = ZoneAsking(journal, store.outbox, world.zones_at, rezoned, world.clock)
    return {PREFIX: desk, PLACES: zones}


def _rezoning(store: StorePorts, world: World, one_turn: OneTurn) -> Rezoning:
    return Rezoning(store.scheduled, store.chats, one_turn.schedules.making, world.clock)
