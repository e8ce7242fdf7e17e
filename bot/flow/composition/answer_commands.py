"""The commands about answers and conversations, put together."""

from bot.domain.clock.zones import Zones
from bot.flow.commanding.table import Command
from bot.flow.commands.answers import AnswerCommands
from bot.flow.commands.conversations import ConversationCommands
from bot.flow.speaking.commands import VoiceCommands
from bot.flow.verbose.commands import VerboseCommands
from bot.flow.verbose.newest_calls import NewestCalls
from bot.flow.world import Policy, StorePorts, World
from bot.ports.journal import Journal


def answer_commands(
    store: StorePorts, world: World, policy: Policy, journal: Journal
) -> tuple[Command, ...]:
    """Returns `/long`, `/previews`, `/footer`, `/verbose` and `/voice`."""
    hears, speaks = world.hearing is not None, world.speaking is not None
    voice = VoiceCommands(hears=hears, speaks=speaks)
    calls = NewestCalls(journal, store.chats, store.errands)
    verbose = VerboseCommands(world.groups, calls, world.conceal)
    return (*AnswerCommands(policy.long_answer, world.channels).table, *verbose.table, *voice.table)


def conversation_commands(
    store: StorePorts, world: World, journal: Journal, zones: Zones
) -> tuple[Command, ...]:
    """Returns `/branch`, `/conversations` and `/title`."""
    return tuple(ConversationCommands(journal, store.chats, zones, world.clock).table)
