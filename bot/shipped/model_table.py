"""Reads the table of models that comes with the program."""

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

_FILE = Path(__file__).with_name("models.toml")


@cache
def model_table() -> Mapping[str, Mapping[str, Any]]:
    """Returns the table of each model by its name, as in `anthropic/claude-sonnet-5-5`."""
    return tomllib.loads(_FILE.read_text(encoding="utf-8"))["models"]
