"""Variables of a skill: values that an operator sets; some are secret."""

import json
import re
from collections.abc import Iterable

from bot.domain.value import field, frozen

_PLACEHOLDER = re.compile(r"\{\{\s*([A-Za-z_][A-Za-z0-9_]*)\s*\}\}")


@frozen
class Variable:
    """A value a skill asks for; None while it has neither a value nor a default.

    A secret one reaches the environment of the skill's commands and servers and nothing else.
    """

    name: str
    value: str | None = field(default=None, repr=False)
    required: bool = False
    secret: bool = False
    description: str = ""


def spellings(secret: str) -> frozenset[str]:
    """Returns a value as it is and as JSON writes it; servers and programs often answer in JSON."""
    written = (json.dumps(secret), json.dumps(secret, ensure_ascii=False))
    return frozenset({secret, *(text[1:-1] for text in written)})


def placeholders(text: str) -> tuple[str, ...]:
    """Returns the names that stand in a text as {{NAME}}."""
    return tuple(found[1] for found in _PLACEHOLDER.finditer(text))


def rendered(text: str, variables: Iterable[Variable]) -> str:
    """Returns the text with each {{NAME}} replaced once; unknown, unset and secret ones stay."""
    known = {v.name: v.value for v in variables if v.value is not None and not v.secret}
    return _PLACEHOLDER.sub(lambda found: known.get(found[1], found[0]), text)


def filled(text: str, variables: Iterable[Variable]) -> str:
    """Returns the same with secret values too: for environments only, never for a prompt."""
    known = {v.name: v.value for v in variables if v.value is not None}
    return _PLACEHOLDER.sub(lambda found: known.get(found[1], found[0]), text)
