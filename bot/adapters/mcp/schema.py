"""Judges schemas of strangers: may a model see one, and do arguments fit it?

jsonschema is loaded with the first server. Checks that could run for ever are left to the server:
patterns are not tried, and a check has a bound on its steps and its depth.
"""

import json
import re
from collections.abc import Iterator, Mapping
from functools import cached_property
from itertools import islice
from typing import Any

from bot.domain.talk.errors import InvalidArguments
from bot.domain.text.foreign_text import defused

LARGEST = 20_000
"""Bytes of a schema; a larger one costs more in every request than a tool is worth."""

_KEY = re.compile(r"[a-zA-Z0-9_.-]{1,64}")
_CHOICES = ("oneOf", "anyOf", "allOf")
_MOST_STEPS = 10_000
"""Steps of one check: each keyword counts, and each value behind it."""

_MOST_FAULTS = 5
_LONGEST_FAULT = 300
_DEEPEST = 40


class Unfit(Exception):
    """A tool or its schema must not be shown to a model; the text says why."""


def offered(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the schema as providers accept it: an object at the top, without a choice there."""
    shown = {k: v for k, v in schema.items() if k not in ("$schema", "$id", *_CHOICES)}
    shown.setdefault("type", "object")
    _examine(shown)
    return {key: _defused(key, value) for key, value in shown.items()}


_SAID = frozenset({"description", "title", "$comment"})
"""Keywords whose texts nothing compares: only models read them."""


def _defused(key: str, value: Any) -> Any:
    """Returns a part of a schema in which no words for the model look like a mark of ours."""
    if isinstance(value, str):
        return defused(value) if key in _SAID else value
    if isinstance(value, dict):
        return {name: _defused(name, inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [_defused("", inner) for inner in value]
    return value


class ArgumentCheck:
    """Checks arguments against one schema; built at the first check: most are never used."""

    def __init__(self, schema: Mapping[str, Any]) -> None:
        self._schema = dict(schema)
        self._left = self._depth = 0

    def __call__(self, arguments: Mapping[str, Any]) -> None:
        """Raises InvalidArguments with a line for each of the first faults."""
        self._left, self._depth = _MOST_STEPS, 0
        try:
            faults = islice(self._validator.iter_errors(dict(arguments)), _MOST_FAULTS)
            lines = [_line(fault) for fault in faults]
        except (_Endless, self._unresolvable, *_NO_SCHEMA):
            # The schema is at fault, not the call: the server judges it.
            return
        if lines:
            raise InvalidArguments("\n".join(lines))

    @cached_property
    def _unresolvable(self) -> type[Exception]:
        from referencing.exceptions import Unresolvable

        return Unresolvable

    @cached_property
    def _validator(self) -> Any:
        from jsonschema import Draft202012Validator
        from jsonschema.validators import extend
        from referencing import Registry

        known = Draft202012Validator.VALIDATORS
        own = {keyword: self._counted(judge) for keyword, judge in known.items()}
        own |= dict.fromkeys(_UNTRIED, _nothing)
        own |= {keyword: _unless_patterned(own[keyword]) for keyword in _ADDITIONAL}
        # Our own registry has no way to fetch another document.
        return extend(Draft202012Validator, own)(self._schema, registry=Registry())

    def _counted(self, judge: Any) -> Any:
        def step(validator: Any, wanted: Any, instance: Any, schema: Any) -> Iterator[Any]:
            self._left -= 1 + (len(wanted) if isinstance(wanted, list | dict) else 0)
            # A deep schema would exceed Python's recursion limit, and the C code below would crash.
            if self._left < 0 or self._depth == _DEEPEST:
                raise _Endless
            self._depth += 1
            try:
                yield from judge(validator, wanted, instance, schema) or ()
            finally:
                self._depth -= 1

        return step


class _Endless(Exception):
    """The schema needs more steps than one check may take."""


_NO_SCHEMA = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError)
"""Errors of the library when a choice or a reference leads to something that is no schema."""


_UNTRIED = ("pattern", "patternProperties", "format", "uniqueItems")
_ADDITIONAL = ("additionalProperties", "unevaluatedProperties")


def _nothing(*_: Any) -> tuple[()]:
    return ()


def _unless_patterned(judge: Any) -> Any:
    """Skips a keyword about additional values where patterns decide, as patterns are not tried."""

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
    from jsonschema import Draft202012Validator, SchemaError

    try:
        Draft202012Validator.check_schema(schema)
    except SchemaError as fault:
        return str(fault.message)[:200]
    return ""
