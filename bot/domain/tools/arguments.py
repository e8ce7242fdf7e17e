"""Reads the arguments of a call strictly: it guesses nothing and repairs nothing."""

import json
from collections.abc import Mapping
from typing import Any, cast

from bot.domain.text import strict_json


def parse_arguments(text: str) -> tuple[Mapping[str, Any] | None, str | None]:
    """Returns the arguments or else a fault in words; an empty text means no arguments."""
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
    return cast("dict[str, Any]", value), None


def _kind(value: object) -> str:
    match value:
        case None:
            return "null"
        case list():
            return "a list"
        case str():
            return "a string"
        case bool():
            return "a boolean"
        case _:
            return "a number"
