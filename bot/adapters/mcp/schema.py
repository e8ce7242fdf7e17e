"""Schemas of strangers: which may be shown to a model, and whether arguments fit one.

jsonschema is loaded with the first server. What could take for ever is left to the server to judge:
patterns are not tried, and references are followed only so often.
"""

import json
import re
from collections.abc import Iterator, Mapping
from functools import cached_property
from itertools import islice
from typing import Any

from bot.domain.errors import InvalidArguments

LARGEST = 20_000
"""Bytes of a schema; above it costs more of every request than a tool is worth."""

_KEY = re.compile(r"[a-zA-Z0-9_.-]{1,64}")
_CHOICES = ("oneOf", "anyOf", "allOf")
_MOST_REFERENCES = 2_000
_MOST_FAULTS = 5
_LONGEST_FAULT = 300
_DEEPEST = 40


class Unfit(Exception):
    """A tool or its schema that no model may be shown; the text says why."""


def offered(schema: Mapping[str, Any]) -> dict[str, Any]:
    """The schema as providers take it: an object at its top, without a choice there."""
    shown = {k: v for k, v in schema.items() if k not in ("$schema", "$id", *_CHOICES)}
    shown.setdefault("type", "object")
    _examine(shown)
    return shown


class ArgumentCheck:
    """Judges arguments by one schema; built at the first check, since most tools are never used."""

    def __init__(self, schema: Mapping[str, Any]) -> None:
        self._schema = dict(schema)
        self._left = 0

    def __call__(self, arguments: Mapping[str, Any]) -> None:
        """Raises InvalidArguments with a line for each of the first faults."""
        self._left = _MOST_REFERENCES
        faults = islice(self._validator.iter_errors(dict(arguments)), _MOST_FAULTS)
        lines: list[str] = []
        try:
            lines.extend(_line(fault) for fault in faults)
        except RecursionError:
            raise InvalidArguments("the arguments are nested too deeply") from None
        except (_Circles, self._unresolvable):
            # The schema is at fault, not the call: the server may judge it.
            return
        if lines:
            raise InvalidArguments("\n".join(lines))

    @cached_property
    def _unresolvable(self) -> type[Exception]:
        from referencing.exceptions import Unresolvable  # noqa: PLC0415

        return Unresolvable

    @cached_property
    def _validator(self) -> Any:
        from jsonschema import Draft202012Validator  # noqa: PLC0415
        from jsonschema.validators import extend  # noqa: PLC0415
        from referencing import Registry  # noqa: PLC0415

        known = Draft202012Validator.VALIDATORS
        own: dict[str, Any] = dict.fromkeys(_UNTRIED, _nothing)
        own |= {keyword: self._counted(known[keyword]) for keyword in ("$ref", "$dynamicRef")}
        own |= {keyword: _unless_patterned(known[keyword]) for keyword in _ADDITIONAL}
        # A registry of our own knows no way to fetch another document.
        return extend(Draft202012Validator, own)(self._schema, registry=Registry())

    def _counted(self, follow: Any) -> Any:
        def step(validator: Any, reference: Any, instance: Any, schema: Any) -> Iterator[Any]:
            self._left -= 1
            if self._left < 0:
                raise _Circles
            yield from follow(validator, reference, instance, schema) or ()

        return step


class _Circles(Exception):
    """The schema sent the check round and round."""


_UNTRIED = ("pattern", "patternProperties", "format", "uniqueItems")
_ADDITIONAL = ("additionalProperties", "unevaluatedProperties")


def _nothing(*_: Any) -> tuple[()]:
    return ()


def _unless_patterned(judge: Any) -> Any:
    """What may be additional is known only to those who try the patterns."""

    def step(validator: Any, wanted: Any, instance: Any, schema: Any) -> Any:
        return () if "patternProperties" in schema else judge(validator, wanted, instance, schema)

    return step


def _line(fault: Any) -> str:
    where = ".".join(str(part) for part in fault.absolute_path) or "arguments"
    return f"{where}: {str(fault.message)[:_LONGEST_FAULT]}"


def _examine(shown: Mapping[str, Any]) -> None:
    if shown["type"] != "object":
        raise Unfit("its arguments are no object")
    try:
        size = len(json.dumps(shown).encode())
    except (ValueError, RecursionError):
        raise Unfit("its schema cannot be written") from None
    if size > LARGEST:
        raise Unfit(f"its schema has {size} bytes, more than {LARGEST}")
    properties = shown.get("properties", {})
    if not isinstance(properties, dict) or not all(_KEY.fullmatch(key) for key in properties):
        raise Unfit("its arguments have names that no provider takes")
    if any(not reference.startswith("#") for reference in _references(shown, 0)):
        raise Unfit("its schema refers to another document")
    problem = _problem(shown)
    if problem:
        raise Unfit(f"its schema is none: {problem}")


def _references(value: Any, depth: int) -> Iterator[str]:
    if depth > _DEEPEST:
        raise Unfit("its schema is nested too deeply")
    if isinstance(value, dict):
        for key, inner in value.items():
            if key in ("$ref", "$dynamicRef") and isinstance(inner, str):
                yield inner
            yield from _references(inner, depth + 1)
    elif isinstance(value, list):
        for inner in value:
            yield from _references(inner, depth + 1)


def _problem(schema: Mapping[str, Any]) -> str:
    from jsonschema import Draft202012Validator, SchemaError  # noqa: PLC0415

    try:
        Draft202012Validator.check_schema(schema)
    except SchemaError as fault:
        return str(fault.message)[:200]
    return ""
