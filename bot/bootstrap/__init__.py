"""The composition root: the one room that knows every adapter."""

from bot.bootstrap.probes import probes
from bot.bootstrap.telegram import serve
from bot.bootstrap.terminal import chat

__all__ = ["chat", "probes", "serve"]
