"""Reads the file of a ready-made plan: YAML between two lines of dashes, then numbered Markdown."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, cast

import yaml

from bot.adapters.front_matter import FENCE, UNREADABLE, keys_of, line_of, parted, unreadable
from bot.adapters.markdown_folder import Wrong
from bot.domain.plans.template import Argument, Template, is_name
from bot.ports.templates import Broken

_STEP = re.compile(r"^\d+[.)] \S", re.MULTILINE)
_ARGUMENT = re.compile(r"[a-z][a-z0-9_]*")
_KEYS = ("name", "description", "arguments")


def read(text: str, file: str, name: str) -> Template | Broken:
    """Returns the plan in a file, or the file's fault; never raises."""
    try:
        head, body, first = parted(text)
        keys = keys_of(head, _KEYS)
        return Template(
            _name(keys, head, name),
            _description(keys, head),
            _arguments(keys, head),
            _steps(body, first),
        )
    except Wrong as wrong:
        return Broken(file, wrong.line, str(wrong))
    except UNREADABLE as fault:
        return Broken(file, 1, unreadable(fault))


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
    return f"{FENCE}\n{head}{FENCE}\n\n{template.text.strip()}\n"


def _name(keys: Mapping[str, Any], head: str, name: str) -> str:
    told = keys.get("name")
    if told is None:
        raise Wrong(1, "the name is missing")
    if not isinstance(told, str) or not is_name(told):
        why = "the name should be lower-case letters and digits with single dashes"
        raise Wrong(line_of(head, "name"), why)
    if told != name:
        raise Wrong(line_of(head, "name"), f"the name should be that of the file, {name}")
    return told


def _description(keys: Mapping[str, Any], head: str) -> str:
    told = keys.get("description")
    if not isinstance(told, str) or not told.strip():
        raise Wrong(line_of(head, "description"), "the description should be a sentence")
    return " ".join(told.split())


def _arguments(keys: Mapping[str, Any], head: str) -> tuple[Argument, ...]:
    told = keys.get("arguments")
    line = line_of(head, "arguments")
    if told is None:
        return ()
    if not isinstance(told, list):
        raise Wrong(line, "the arguments should be a list")
    arguments = tuple(_argument(one, line) for one in cast("Sequence[object]", told))
    if len({a.name for a in arguments}) < len(arguments):
        raise Wrong(line, "two arguments have the same name")
    return arguments


def _argument(told: object, line: int) -> Argument:
    if isinstance(told, str):
        told = {"name": told}
    if not isinstance(told, dict):
        raise Wrong(line, "an argument should be a name, or a name with its description")
    keys = cast("dict[Any, Any]", told)
    name, default = keys.get("name"), keys.get("default")
    if not isinstance(name, str) or _ARGUMENT.fullmatch(name) is None:
        raise Wrong(line, "an argument's name should be a lower-case word")
    if default is not None and not isinstance(default, str | int | float):
        raise Wrong(line, f"the default of {name} should be a text or a number")
    described = keys.get("description") or ""
    if not isinstance(described, str):
        raise Wrong(line, f"the description of {name} should be a text")
    return Argument(name, described, None if default is None else str(default))


def _steps(body: str, first: int) -> str:
    if _STEP.search(body) is None:
        raise Wrong(first, "there are no numbered steps below the front matter")
    return body.strip()
