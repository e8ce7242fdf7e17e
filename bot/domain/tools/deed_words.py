"""The words of which deeds are made: a verb and a thing on one line, every character visible."""

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from bot.domain.text.visible_text import one_line, shown_name

LONGEST = 60
"""Characters of a command or of other words in such a line; a longer text ends with “…”."""

_LONGEST_NAME = 200
_WORKSPACE = (None, "", ".", "./")

Deed: TypeAlias = Callable[[Mapping[str, Any]], str]
"""Returns what a call does, as far as its arguments tell."""


def always(deed: str) -> Deed:
    """Returns a deed that is the same whatever the arguments are."""
    return lambda _: deed


def about(verb: str, name: str) -> Deed:
    """Returns a deed that quotes the argument of this name: “Search for “tea””."""
    return lambda arguments: f"{verb} “{quoted(arguments.get(name))}”"


def by_name(tool: str) -> Deed:
    """Returns a deed of a tool without words for it: its name with the first value."""

    def deed(arguments: Mapping[str, Any]) -> str:
        values = [str(value) for value in arguments.values() if isinstance(value, str | int)]
        return f"{tool} {quoted(values[0] if values else '')}".strip()

    return deed


def of_file(verb: str) -> Deed:
    """Returns a deed that names the file or folder of the argument `path`: “Write a.md”."""

    def deed(arguments: Mapping[str, Any]) -> str:
        shown = file_name(arguments.get("path"))
        short = shown if len(shown) <= _LONGEST_NAME else f"…{shown[1 - _LONGEST_NAME :]}"
        return f"{verb} {short}"

    return deed


def listing(arguments: Mapping[str, Any]) -> str:
    """Returns “List …” with a folder, or with the workspace."""
    if arguments.get("path") in _WORKSPACE:
        return "List the workspace"
    return of_file("List")(arguments)


def running(arguments: Mapping[str, Any]) -> str:
    """Returns “Run `…`” with the command of a call."""
    return run_deed(str(arguments.get("command", "")))


def saying(arguments: Mapping[str, Any]) -> str:
    """Returns “Say “…”” with a message; a question is asked by itself."""
    if arguments.get("is_question") is True:
        return "Ask you a question"
    return about("Say", "message")(arguments)


def using_skill(arguments: Mapping[str, Any]) -> str:
    """Returns “Use the skill …” with its name, or that the present one is put away."""
    name = quoted(arguments.get("name"))
    return "Put the skill away" if name == "none" else f"Use the skill {name}"


def reading_skill(arguments: Mapping[str, Any]) -> str:
    """Returns “Read … of the skill …”."""
    skill = quoted(arguments.get("skill"))
    return f"Read {file_name(arguments.get('path'))} of the skill {skill}"


def run_deed(command: str) -> str:
    """Returns “Run `…`” with the whole of a short command, or with its beginning."""
    return f"Run `{_quotable(one_line(' '.join(command.split()), LONGEST))}`"


def run_whole(command: str) -> bool:
    """Returns True when `run_deed` shows every character of a command."""
    return run_deed(command) == f"Run `{command}`" and "`" not in command and "…" not in command


def file_name(path: object) -> str:
    """Returns a path on one line, every character visible and none that could end a quotation."""
    return _quotable(shown_name(path if isinstance(path, str) else "")) or "."


def quoted(value: object) -> str:
    """Returns the words of an argument on one short line."""
    return _quotable(one_line(" ".join(str(value or "").split()), LONGEST))


def _quotable(text: str) -> str:
    r"""Writes a backtick as \x60: in such a line it marks where a command begins and ends."""
    return text.replace("`", "\\x60")
