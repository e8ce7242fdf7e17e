"""The calls that a skill asks to make without a card, in the words of other programs too."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

HOUSE = frozenset(
    {
        "current_time",
        "list_files",
        "read_file",
        "search_files",
        "write_file",
        "edit_file",
        "delete_file",
        "run_command",
        "send_file",
        "send_message",
        "get_conversation",
        "end_conversation",
        "submit_plan",
        "web_fetch",
        "web_search",
        "find_skills",
        "use_skill",
        "read_skill_file",
        "remember",
        "recall",
        "forget",
        "delegate",
        "schedule_task",
        "list_tasks",
        "update_task",
        "cancel_task",
        "nothing_to_report",
        "goal_update",
        "diary_write",
    }
)
"""Names of the tools that no server lends."""

_ELSEWHERE = {
    "read": "read_file",
    "notebookread": "read_file",
    "write": "write_file",
    "edit": "edit_file",
    "multiedit": "edit_file",
    "notebookedit": "edit_file",
    "bash": "run_command",
    "shell": "run_command",
    "glob": "list_files",
    "ls": "list_files",
    "grep": "search_files",
    "webfetch": "web_fetch",
    "websearch": "web_search",
    "task": "delegate",
    "agent": "delegate",
    "todowrite": "",
    "todoread": "",
    "skill": "use_skill",
    "askuserquestion": "send_message",
}
"""Tools of other programs and what they are called here; empty for those that are not here."""

_FORM = re.compile(r"([^\s,()]+)(?:\(([^()]*)\))?")


@dataclass(frozen=True, slots=True)
class PreApproved:
    """One wish of a skill: `tool` is ours, empty when there is none.

    `pattern` narrows its arguments: a command, a path or a host, where a star stands for anything.
    No call runs without a card only because it is named here.
    """

    tool: str
    pattern: str
    written: str


def pre_approved(lines: Sequence[str]) -> tuple[PreApproved, ...]:
    """Returns the wishes in such lines, between spaces or commas, each once."""
    found = (_wish(match) for line in lines for match in _FORM.finditer(line))
    return tuple(dict.fromkeys(found))


def house_name(name: str) -> str | None:
    """Returns our name of a tool; empty for a known one that is not here, None if unknown."""
    if name in HOUSE or "__" in name:
        return name
    return _ELSEWHERE.get(name.lower())


def _wish(match: re.Match[str]) -> PreApproved:
    name, pattern = match[1], (match[2] or "").strip()
    if pattern.endswith(":*"):
        pattern = f"{pattern[:-2]} *"
    return PreApproved(house_name(name) or "", "" if pattern == "*" else pattern, match[0])
