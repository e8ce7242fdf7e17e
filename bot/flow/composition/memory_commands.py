"""The commands about what is remembered, put together: it is shown, erased and handed out."""

from bot.domain.zones import Zones
from bot.flow.commands import Command
from bot.flow.commands.exporting import ExportCommands
from bot.flow.commands.forgetting import ForgettingCommands
from bot.flow.commands.memory import MemoryCommands
from bot.flow.memory.recall import Recall
from bot.flow.world import StorePorts, World


def memory_commands(
    store: StorePorts, world: World, recall: Recall, zones: Zones
) -> tuple[Command, ...]:
    """Returns `/memory`, `/forget` and `/export`."""
    packing = world.packing
    return (
        *MemoryCommands(store.notes, recall).table,
        *ForgettingCommands(store.memory, store.notes, world.clock).table,
        *ExportCommands(store.belongings, store.notes, store.journal, packing, zones).table,
    )
