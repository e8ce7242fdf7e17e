"""The words of a hook, and the data of a call beside them."""

import json
import re
from collections.abc import Sequence
from typing import Any, cast

from bot.domain.value import frozen

MOST_WORDS = 8_000
"""Characters of the words of a hook."""

MOST_BLANKS = 40
"""Placeholders in the words of a hook."""

MOST_DATA = 20_000
"""Characters of the data that a run gets."""

_MOST_VALUE = 6_000
WHOLE = "body"
"""The placeholder that stands for the whole body."""

_BLANK = re.compile(r"\{\{\s*([A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+){0,7})\s*\}\}")
_NAME = re.compile(r"⟨([\w.-]+)⟩")
_MISSING = object()


@frozen
class Filled:
    """The words of a run, and the data that their names stand for."""

    words: str
    data: str


def blanks_in(words: str) -> Sequence[str]:
    """Returns the names of the placeholders, each once, in their order."""
    return list(dict.fromkeys(found[1] for found in _BLANK.finditer(words)))


def unclear_in(words: str) -> str:
    """Returns the first braces that are no placeholder; empty when all are."""
    left = _BLANK.sub("", words)
    at = left.find("{{")
    return left[at : at + 40].partition("\n")[0] if at >= 0 else ""


def opening_words(words: str) -> str:
    """Returns filled words for people, up to the first value and with an ellipsis for the rest."""
    found = _NAME.search(words)
    return words if found is None else f"{words[: found.start()].rstrip()} …".lstrip()


def read_json(body: bytes) -> Any:
    """Returns the value of a body; raises ValueError when it is no JSON text."""
    try:
        return json.loads(body.decode())
    except RecursionError:
        raise ValueError("it is nested too deep") from None


def filled(words: str, value: Any) -> Filled:
    """Returns words in which names in ⟨ ⟩ stand for values, and the values, one on a line."""
    names = blanks_in(words)
    named = _BLANK.sub(lambda found: f"⟨{found[1]}⟩", words)
    lines = [_line(name, _at(value, name)) for name in names] if names else [_line(WHOLE, value)]
    told = "\n".join(lines)
    if len(told) > MOST_DATA:
        told = f"{told[:MOST_DATA]}\n[cut here: the data have {len(told):,} characters]"
    return Filled(named.strip(), told)


def _line(name: str, value: Any) -> str:
    if value is _MISSING:
        return f"⟨{name}⟩ is missing in this call"
    text = _spelled(value)
    if len(text) > _most(name):
        text = f"{text[: _most(name)]} [cut here: {len(text):,} characters]"
    return f"⟨{name}⟩ = {text}"


def _most(name: str) -> int:
    return MOST_DATA if name == WHOLE else _MOST_VALUE


def _spelled(value: Any) -> str:
    """Returns a value on one line, in which nothing looks like a name of the words."""
    try:
        text = json.dumps(value, ensure_ascii=False)
    except RecursionError:
        return "[nested too deep]"
    return text.replace("⟨", "\\u27e8").replace("⟩", "\\u27e9")


def _at(value: Any, name: str) -> Any:
    """Returns the value at a path of keys and positions."""
    if name == WHOLE:
        return value
    for step in name.split("."):
        if isinstance(value, dict) and step in value:
            value = cast("dict[str, Any]", value)[step]
        elif isinstance(value, list) and step.isascii() and step.isdecimal() and len(step) < 6:
            items = cast("list[Any]", value)
            if int(step) >= len(items):
                return _MISSING
            value = items[int(step)]
        else:
            return _MISSING
    return value
