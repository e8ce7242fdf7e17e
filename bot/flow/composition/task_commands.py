"""The commands about tasks and about the clock in which they count, put together."""

from bot.flow.commands import Command
from bot.flow.commands.personal import PersonalCommands
from bot.flow.commands.task_words import TaskWords
from bot.flow.commands.tasks import TaskCommands
from bot.flow.composition.one_turn import OneTurn
from bot.flow.schedules.rezoning import Rezoning
from bot.flow.world import StorePorts, World


def task_commands(store: StorePorts, world: World, one_turn: OneTurn) -> tuple[Command, ...]:
    """Returns `/schedule` and `/tasks`, then `/about` and `/timezone`."""
    parts, scheduled, clock = one_turn.schedules, store.scheduled, world.clock
    words = TaskWords(scheduled, parts.timetable)
    tasks = TaskCommands(scheduled, parts.making, parts.firing, words, clock)
    rezoning = Rezoning(scheduled, store.chats, parts.making, clock)
    personal = PersonalCommands(one_turn.way_in.zones, clock, rezoning.writes)
    return (*tasks.table, *personal.table)
