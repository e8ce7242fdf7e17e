"""Reads the file of a ready-made plan: YAML between two lines of dashes, then numbered Markdown."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, cast

import yaml

from bot.domain.template import Argument, Template, is_name
from bot.ports.templates import Broken

_FENCE = "---"
_STEP = re.compile(r"^\d+[.)] \S", re.MULTILINE)
_ARGUMENT = re.compile(r"[a-z][a-z0-9_]*")
_KEYS = ("name", "description", "arguments")
_UNREADABLE = (
    yaml.YAMLError,
    ArithmeticError,
    AttributeError,
    LookupError,
    RecursionError,
    ValueError,
)
"""Errors for a value that does not fit its tag, or for too large a number."""


class _Wrong(Exception):
    """The fault of a file, with its line."""

    def __init__(self, line: int, why: str) -> None:
        super().__init__(why)
        self.line = line


def read(text: str, file: str, name: str) -> Template | Broken:
    """Returns the plan in a file, or the file's fault; never raises."""
    try:
        head, body, first = _parted(text)
        keys = _keys(head)
        return Template(
            _name(keys, head, name),
            _description(keys, head),
            _arguments(keys, head),
            _steps(body, first),
        )
    except _Wrong as wrong:
        return Broken(file, wrong.line, str(wrong))
    except _UNREADABLE as fault:
        told = str(fault).partition("\n")[0] or type(fault).__name__
        return Broken(file, 1, f"this is no YAML: {told}")


def write(template: Template) -> str:
    """Returns the file of a ready-made plan, which `read` reads back."""
    arguments = [
        {"name": a.name, "description": a.description}
        | ({"default": a.default} if a.default is not None else {})
        for a in template.arguments
    ]
    keys: dict[str, Any] = {"name": template.name, "description": template.description}
    if arguments:
        keys["arguments"] = arguments
    head = yaml.safe_dump(keys, allow_unicode=True, sort_keys=False, width=1000)
    return f"{_FENCE}\n{head}{_FENCE}\n\n{template.text.strip()}\n"


def _parted(text: str) -> tuple[str, str, int]:
    """Returns the YAML, the Markdown, and the line in which the Markdown begins."""
    lines = text.lstrip("\ufeff").splitlines()
    if not lines or lines[0].rstrip() != _FENCE:
        raise _Wrong(1, "the file should begin with a line of three dashes")
    ends = [n for n, line in enumerate(lines[1:], start=1) if line.rstrip() == _FENCE]
    if not ends:
        raise _Wrong(len(lines), "the front matter has no end: a second line of three dashes")
    return "\n".join(lines[1 : ends[0]]), "\n".join(lines[ends[0] + 1 :]), ends[0] + 2


def _keys(head: str) -> Mapping[str, Any]:
    try:
        keys: object = yaml.safe_load(head)
    except yaml.MarkedYAMLError as fault:
        mark = fault.problem_mark
        line = mark.line + 2 if mark is not None else 1
        raise _Wrong(line, f"this is no YAML: {fault.problem or 'unreadable'}") from None
    if not isinstance(keys, dict):
        raise _Wrong(1, "the front matter should be keys with values")
    known = cast("dict[Any, Any]", keys)
    for key in known:
        if key not in _KEYS:
            raise _Wrong(_line(head, str(key)), f"the key {key!r} is none of {', '.join(_KEYS)}")
    return known


def _name(keys: Mapping[str, Any], head: str, name: str) -> str:
    told = keys.get("name")
    if told is None:
        raise _Wrong(1, "the name is missing")
    if not isinstance(told, str) or not is_name(told):
        why = "the name should be lower-case letters and digits with single dashes"
        raise _Wrong(_line(head, "name"), why)
    if told != name:
        raise _Wrong(_line(head, "name"), f"the name should be that of the file, {name}")
    return told


def _description(keys: Mapping[str, Any], head: str) -> str:
    told = keys.get("description")
    if not isinstance(told, str) or not told.strip():
        raise _Wrong(_line(head, "description"), "the description should be a sentence")
    return " ".join(told.split())


def _arguments(keys: Mapping[str, Any], head: str) -> tuple[Argument, ...]:
    told = keys.get("arguments")
    line = _line(head, "arguments")
    if told is None:
        return ()
    if not isinstance(told, list):
        raise _Wrong(line, "the arguments should be a list")
    arguments = tuple(_argument(one, line) for one in cast("Sequence[object]", told))
    if len({a.name for a in arguments}) < len(arguments):
        raise _Wrong(line, "two arguments have the same name")
    return arguments


def _argument(told: object, line: int) -> Argument:
    if isinstance(told, str):
        told = {"name": told}
    if not isinstance(told, dict):
        raise _Wrong(line, "an argument should be a name, or a name with its description")
    keys = cast("dict[Any, Any]", told)
    name, default = keys.get("name"), keys.get("default")
    if not isinstance(name, str) or _ARGUMENT.fullmatch(name) is None:
        raise _Wrong(line, "an argument's name should be a lower-case word")
    if default is not None and not isinstance(default, str | int | float):
        raise _Wrong(line, f"the default of {name} should be a text or a number")
    described = keys.get("description") or ""
    if not isinstance(described, str):
        raise _Wrong(line, f"the description of {name} should be a text")
    return Argument(name, described, None if default is None else str(default))


def _steps(body: str, first: int) -> str:
    if _STEP.search(body) is None:
        raise _Wrong(first, "there are no numbered steps below the front matter")
    return body.strip()


def _line(head: str, key: str) -> int:
    """Returns the line of a key of the front matter; the first line when the key is absent."""
    lines = head.splitlines()
    found = (n for n, line in enumerate(lines, start=2) if line.startswith(key))
    return next(found, 1)
