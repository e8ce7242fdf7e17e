"""The commands that branch, name and open conversations, put together."""

from bot.domain.clock.zones import Zones
from bot.flow.commanding.table import Command
from bot.flow.commands.conversations import ConversationCommands
from bot.flow.world import StorePorts, World
from bot.ports.journal import Journal


def conversation_commands(
    store: StorePorts, world: World, journal: Journal, zones: Zones
) -> tuple[Command, ...]:
    """Returns `/branch`, `/conversations` and `/title`."""
    return tuple(ConversationCommands(journal, store.chats, zones, world.clock).table)
