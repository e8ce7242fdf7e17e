"""Reads the table of models that comes with the program."""

import tomllib
from collections.abc import Mapping
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any

_FILE = Path(__file__).with_name("models.toml")


def model_table() -> Mapping[str, Mapping[str, Any]]:
    """Returns the table of each model by its name, as in `anthropic/claude-sonnet-5-5`."""
    return _tables()["models"]


def embedder_prices() -> Mapping[str, tuple[Decimal, str]]:
    """Returns the dollars for a million tokens of OpenAI's embedders, with the day of the price."""
    return {
        name: (Decimal(str(table["price"])), table["date"])
        for name, table in _tables()["embedders"].items()
    }


@cache
def _tables() -> Mapping[str, Mapping[str, Any]]:
    return tomllib.loads(_FILE.read_text(encoding="utf-8"))
