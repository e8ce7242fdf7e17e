"""What skills ask to use unasked, as other programs write it."""

import pytest

from bot.domain.consent.pre_approval import PreApproved, house_name, pre_approved


@pytest.mark.parametrize(
    ("written", "tool", "pattern"),
    [
        ("Read", "read_file", ""),
        ("Write", "write_file", ""),
        ("Edit", "edit_file", ""),
        ("MultiEdit", "edit_file", ""),
        ("NotebookEdit", "edit_file", ""),
        ("Glob", "list_files", ""),
        ("LS", "list_files", ""),
        ("Grep", "search_files", ""),
        ("Bash", "run_command", ""),
        ("Bash(*)", "run_command", ""),
        ("Bash(git:*)", "run_command", "git *"),
        ("Bash(git add:*)", "run_command", "git add *"),
        ("Bash(ls *)", "run_command", "ls *"),
        ("Bash(npm test)", "run_command", "npm test"),
        ("Read(./docs/**)", "read_file", "./docs/**"),
        ("WebFetch(domain:example.org)", "web_fetch", "domain:example.org"),
        ("WebSearch", "web_search", ""),
        ("Task", "delegate", ""),
        ("TodoWrite", "", ""),
        ("run_command", "run_command", ""),
        ("web__search", "web__search", ""),
        ("Rube", "", ""),
    ],
)
def test_a_wish_is_a_tool_of_ours_and_a_pattern(written: str, tool: str, pattern: str) -> None:
    assert pre_approved([written]) == (PreApproved(tool, pattern, written),)


def test_wishes_stand_between_spaces_commas_and_in_lists_each_once() -> None:
    found = pre_approved(["Read, Bash(git add:*) Grep", "Read"])
    assert [wish.written for wish in found] == ["Read", "Bash(git add:*)", "Grep"]
    assert pre_approved(["", " , "]) == ()


def test_what_nobody_knows_is_told_from_what_is_not_here() -> None:
    assert (house_name("TodoRead"), house_name("Rube")) == ("", None)
