"""Commands: one table drives what is understood, every channel's menu, and the help."""

from bot.flow.commands.dispatch import Commands
from bot.flow.commands.table import Answer, Command, Invocation

__all__ = ["Answer", "Command", "Commands", "Invocation"]
