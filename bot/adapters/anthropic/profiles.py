"""Profiles of the Claude models: what is known of them, on careful defaults."""

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType

from bot.domain.money.model import ModelProfile
from bot.domain.money.provider import ANTHROPIC
from bot.domain.money.traits import Traits, read_traits
from bot.shipped.model_table import model_table

_WINDOW = 200_000
_MAX_OUTPUT = 8_000


@cache
def shipped_traits() -> Mapping[str, Traits]:
    """Returns what the program knows of models without any word of an operator."""
    return MappingProxyType({key: read_traits(table) for key, table in model_table().items()})


def profile(name: str, traits: Mapping[str, Traits] | None = None) -> ModelProfile:
    """Returns the profile of a model; an unknown model counts as small and without thinking."""
    careful = ModelProfile(ANTHROPIC, name, _WINDOW, _MAX_OUTPUT, thinks=False)
    known = (shipped_traits() if traits is None else traits).get(f"{ANTHROPIC}/{name}")
    return known.on(careful) if known is not None else careful
