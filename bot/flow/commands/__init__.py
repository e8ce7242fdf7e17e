"""Commands: one table drives what is understood, every channel's menu, and the help."""

from bot.flow.commands.consequences import Consequences
from bot.flow.commands.dispatch import Commands
from bot.flow.commands.table import Command

__all__ = ["Command", "Commands", "Consequences"]
