"""Reading the arguments of a call, strictly: nothing is guessed, nothing is mended."""

import json
from collections.abc import Mapping
from typing import Any

from bot.adapters.anthropic import strict_json


def parse_arguments(text: str) -> tuple[Mapping[str, Any] | None, str | None]:
    """The arguments and None, or None and what is wrong with them. No text means no arguments."""
    if not text.strip():
        return {}, None
    try:
        value = strict_json.read(text)
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return None, "the arguments hold half of a character (a lone surrogate)"
    except ValueError as error:
        return None, f"the arguments are not valid JSON: {error}"
    if not isinstance(value, dict):
        return None, f"the arguments are {_kind(value)}, not an object"
    return value, None


def _kind(value: object) -> str:
    if value is None:
        return "null"
    return {list: "a list", str: "a string", bool: "a boolean"}.get(type(value), "a number")
