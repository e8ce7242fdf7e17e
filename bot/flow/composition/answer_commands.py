"""The commands about answers, put together."""

from bot.flow.commands import Command
from bot.flow.commands.answers import AnswerCommands
from bot.flow.commands.voice import VoiceCommands
from bot.flow.world import Policy, World


def answer_commands(world: World, policy: Policy) -> tuple[Command, ...]:
    """Returns `/long`, `/previews`, `/footer` and `/voice`."""
    hears, speaks = world.hearing is not None, world.speaking is not None
    voice = VoiceCommands(hears=hears, speaks=speaks)
    return (*AnswerCommands(policy.long_answer).table, *voice.table)
