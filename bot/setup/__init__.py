"""The first steps: asks for a token and a model's service, tries both, and saves the answers."""

from bot.setup.asking import Probes
from bot.setup.prompts import say
from bot.setup.setup import NO_TERMINAL, Setup, starts_now, wants_setup

__all__ = ["NO_TERMINAL", "Probes", "Setup", "say", "starts_now", "wants_setup"]
