"""The first steps: asks for tokens, keys and services, tries each, and saves the answers."""

from bot.setup.asking import Probes
from bot.setup.prompts import say
from bot.setup.setup import Setup, no_terminal, settings_count, starts_now, works_in

__all__ = [
    "Probes",
    "Setup",
    "no_terminal",
    "say",
    "settings_count",
    "starts_now",
    "works_in",
]
