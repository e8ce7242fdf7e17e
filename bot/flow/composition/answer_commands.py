"""The commands about answers, put together."""

from bot.flow.commands import Command
from bot.flow.commands.answers import AnswerCommands
from bot.flow.commands.verbose import VerboseCommands
from bot.flow.commands.voice import VoiceCommands
from bot.flow.world import Policy, World
from bot.ports.journal import Journal


def answer_commands(world: World, policy: Policy, journal: Journal) -> tuple[Command, ...]:
    """Returns `/long`, `/previews`, `/footer`, `/verbose` and `/voice`."""
    hears, speaks = world.hearing is not None, world.speaking is not None
    voice = VoiceCommands(hears=hears, speaks=speaks)
    verbose = VerboseCommands(world.groups, journal, world.conceal)
    return (*AnswerCommands(policy.long_answer, world.channels).table, *verbose.table, *voice.table)
