"""Reads JSON strictly: no value that standard readers refuse, or that cannot be written again."""

import json
import math
from collections.abc import Mapping
from typing import Any, cast

_MAX_DEPTH = 64


def read(text: str) -> Any:
    """Returns the value; raises ValueError for bad syntax, NaN, infinity, and 65 levels or more."""
    try:
        value = json.loads(text, parse_constant=_no_constant, parse_float=_finite)
    except RecursionError:
        raise ValueError("nested too deeply") from None
    if text.count("[") + text.count("{") > _MAX_DEPTH and _too_deep(value):
        raise ValueError("nested too deeply")
    return value


def fields(value: object) -> Mapping[str, Any]:
    """Returns the value if it is an object; raises TypeError."""
    if not isinstance(value, Mapping):
        raise TypeError("a part of the reply is no object")
    return cast("Mapping[str, Any]", value)


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is no JSON value")


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"{text} is too large a number")
    return number


def _too_deep(value: object) -> bool:
    level: list[object] = [value]
    for _ in range(_MAX_DEPTH):
        inner: list[object] = []
        for each in level:
            if isinstance(each, dict):
                inner += each.values()
            elif isinstance(each, list):
                inner += each
        if not inner:
            return False
        level = inner
    return True
