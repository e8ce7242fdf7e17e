"""Reads what is known of models: the program's table, and `[models]` of `steward.toml` on top."""

from collections.abc import Mapping
from typing import Any

from bot.domain.money.provider import read_model_name
from bot.domain.money.traits import KEYS, Traits, read_traits
from bot.domain.talk.errors import SettingError
from bot.domain.text.visible_text import one_line
from bot.settings.layers import TOML
from bot.shipped.model_table import model_table

_LONGEST = 80


def read_models(tables: Any) -> tuple[Mapping[str, Traits], tuple[str, ...], tuple[str, ...]]:
    """Returns the traits of models by their whole name, the names of those that the operator
    described, and a sentence for each odd entry.

    An entry that nobody can use is left out: the others are not concerned.
    """
    if not isinstance(tables, dict):
        raise SettingError(f'{TOML} has models, which should be tables: [models."provider/name"].')
    found = {name: read_traits(table) for name, table in model_table().items()}
    odd: list[str] = []
    described: list[str] = []
    for name, table in tables.items():
        where = f'{TOML}: [models."{one_line(name, _LONGEST)}"]'
        try:
            told = read_traits(table)
            key = read_model_name(name)
        except ValueError as fault:
            odd.append(f"{where} cannot be used: {fault}.")
            continue
        described.append(key)
        found[key] = told.over(found.get(key, Traits()))
        odd += [_unknown(where, name) for name in table if name not in KEYS]
    return found, tuple(described), tuple(odd)


def _unknown(where: str, name: str) -> str:
    return f"{where} has {one_line(name, _LONGEST)}, which is no key of a model: {', '.join(KEYS)}."
