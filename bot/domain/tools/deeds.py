"""Names what a call does in one line: verb and thing, the same for cards, plans and progress."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from bot.domain.text.visible_text import one_line, shown_name

LONGEST = 60
"""Characters of a command or of other words in such a line; a longer text ends with “…”."""

_LONGEST_NAME = 200
_DENIED = re.compile(r".* denied this call\.(?: They said: (?P<reason>.+))?")
"""The result that a model reads of a call that somebody denied."""

_BETWEEN = "__"
_OF_FILES = {
    "write_file": "Write",
    "edit_file": "Edit",
    "delete_file": "Delete",
    "read_file": "Read",
    "send_file": "Send",
    "list_files": "List",
}
_ABOUT = {
    "search_files": ("Search for", "query"),
    "web_fetch": ("Read the page", "url"),
    "web_search": ("Search the web for", "query"),
    "find_skills": ("Look for a skill for", "query"),
    "find_tools": ("Look for tools for", "words"),
    "use_tool": ("Use the tool", "name"),
    "send_message": ("Say", "message"),
    "remember": ("Remember", "note"),
    "recall": ("Look in the memory for", "query"),
    "delegate": ("Helper", "task"),
    "schedule_task": ("Schedule", "when"),
    "update_task": ("Change the task", "task"),
    "cancel_task": ("Delete the task", "task"),
}
_PLAIN = {
    "current_time": "Look at the clock",
    "get_conversation": "Look at earlier conversations",
    "end_conversation": "End the conversation",
    "forget": "Delete a note",
    "submit_plan": "Show the plan",
    "list_tasks": "Look at the tasks",
    "nothing_to_report": "Report nothing",
}
SHOWN = frozenset({"send_message", "send_file", "submit_plan", "remember", "delegate"})
"""Tools whose work stands in the chat itself, so that no line tells of it as well."""

_MANY = {
    "read_file": "Read {} files",
    "write_file": "Write {} files",
    "edit_file": "Edit {} files",
    "delete_file": "Delete {} files",
    "send_file": "Send {} files",
    "list_files": "List {} folders",
    "search_files": "Search for {} things",
    "web_fetch": "Read {} pages",
    "web_search": "Search the web for {} things",
    "run_command": "Run {} commands",
    "read_skill_file": "Read {} files of skills",
    "find_skills": "Look for {} skills",
    "send_message": "Say {} things",
    "delegate": "{} helpers",
}


def together(tool: str, deeds: Sequence[str]) -> str:
    """Returns deeds of one tool as one: “Read 3 files”; a deed done again is counted."""
    different = len(set(deeds))
    if len(deeds) == 1:
        return deeds[0]
    if different == 1:
        return f"{deeds[0]}, {len(deeds)} times"
    if tool in _MANY:
        return _MANY[tool].format(different)
    server, between, name = tool.partition(_BETWEEN)
    return f"{server_deed(server, name) if between else f'Use {tool}'}, {len(deeds)} times"


def deed_of(tool: str, arguments: Mapping[str, Any]) -> str:
    """Returns what a call does, as far as its arguments tell: “Write a.md”, “Run `pytest -q`”."""
    if tool in _PLAIN:
        return _PLAIN[tool]
    if tool in _OF_FILES:
        return _of_file(tool, arguments)
    if tool in _ABOUT:
        return _about(tool, arguments)
    match tool:
        case "run_command":
            return run_deed(str(arguments.get("command", "")))
        case "use_skill":
            name = _words(arguments.get("name"))
            return "Put the skill away" if name == "none" else f"Use the skill {name}"
        case "read_skill_file":
            skill = _words(arguments.get("skill"))
            return f"Read {file_name(arguments.get('path'))} of the skill {skill}"
        case _:
            return _of_other(tool, arguments)


def run_deed(command: str) -> str:
    """Returns “Run `…`” with the whole of a short command, or with its beginning."""
    return f"Run `{_quotable(one_line(' '.join(command.split()), LONGEST))}`"


def run_whole(command: str) -> bool:
    """Returns True when `run_deed` shows every character of a command."""
    return run_deed(command) == f"Run `{command}`" and "`" not in command and "…" not in command


def denial(result: str) -> str:
    """Returns what people read of a call that was denied; empty for any other result."""
    denied = _DENIED.fullmatch(result)
    if denied is None:
        return ""
    return f"denied: “{denied['reason']}”" if denied["reason"] else "denied"


def without_deed(fault: str, deed: str) -> str:
    """Returns the words about a failed call without the command or file that the deed names."""
    command = deed.removeprefix("Run `").removesuffix("`")
    if command and command != deed:
        return fault.replace(f" of {command}", "", 1)
    thing = re.escape(deed.partition(" ")[2])
    return re.sub(rf"(^|; ){thing}: ", r"\1", fault, count=1)


def server_deed(server: str, tool: str) -> str:
    """Returns “Use … of the server …” for a tool of a server."""
    return f"Use {tool} of the server {server}"


def file_name(path: object) -> str:
    """Returns a path on one line, every character visible and none that could end a quotation."""
    return _quotable(shown_name(path if isinstance(path, str) else "")) or "."


def _about(tool: str, arguments: Mapping[str, Any]) -> str:
    if tool == "send_message" and arguments.get("is_question") is True:
        return "Ask you a question"
    verb, name = _ABOUT[tool]
    return f"{verb} “{_words(arguments.get(name))}”"


def _of_file(tool: str, arguments: Mapping[str, Any]) -> str:
    verb, path = _OF_FILES[tool], arguments.get("path")
    if tool == "list_files" and path in (None, "", ".", "./"):
        return "List the workspace"
    shown = file_name(path)
    return f"{verb} {shown if len(shown) <= _LONGEST_NAME else f'…{shown[1 - _LONGEST_NAME :]}'}"


def _of_other(tool: str, arguments: Mapping[str, Any]) -> str:
    server, between, name = tool.partition(_BETWEEN)
    if between:
        return server_deed(server, name)
    values = [str(value) for value in arguments.values() if isinstance(value, str | int)]
    return f"{tool} {_words(values[0] if values else '')}".strip()


def _words(value: object) -> str:
    return _quotable(one_line(" ".join(str(value or "").split()), LONGEST))


def _quotable(text: str) -> str:
    r"""Writes a backtick as \x60: in such a line it marks where a command begins and ends."""
    return text.replace("`", "\\x60")
