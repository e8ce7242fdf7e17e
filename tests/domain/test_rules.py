"""Which calls a standing rule covers."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.domain.rules import describe, is_guarded, matches, widenings
from bot.domain.tool import CommandRule, ExactRule, PathRule, canonical


def command(text: str) -> dict[str, str]:
    return {"command": text}


def test_an_exact_rule_covers_this_call_alone() -> None:
    rule = ExactRule(canonical({"path": "a", "content": "x"}))
    assert matches(rule, "write_file", {"content": "x", "path": "a"})
    assert not matches(rule, "write_file", {"content": "y", "path": "a"})
    assert not matches(rule, "write_file", {"content": "x", "path": "a", "more": 1})


def test_a_command_rule_covers_commands_that_begin_with_its_words() -> None:
    rule = CommandRule(("git", "commit"))
    assert matches(rule, "run_command", command("git commit"))
    assert matches(rule, "run_command", command("git commit -m 'fix the tests'"))
    assert matches(rule, "run_command", {"command": "git commit", "timeout": 5})


@pytest.mark.parametrize(
    "text",
    [
        "git commits", "git", "git -c x=y commit", "git commit; id", "git commit && id",
        "git commit $(id)", "git commit > x", "git commit\nid", "X=1 git commit", "'git commit'",
        "git commit | sh", "git commit ../x", "git commit /etc/x", "git commit .git/config",
        "git commit Makefile", "git commit --output=x", "git commit -c HEAD",
    ],
)  # fmt: skip
def test_a_command_rule_covers_nothing_else(text: str) -> None:
    assert not matches(CommandRule(("git", "commit")), "run_command", command(text))


@pytest.mark.parametrize("text", ["cp a -t.git/hooks", "cp a -ft.git", "cp a -t/etc"])
def test_a_command_rule_covers_no_guarded_place_glued_to_an_option(text: str) -> None:
    assert matches(CommandRule(("cp", "a")), "run_command", command("cp a -ft b"))
    assert not matches(CommandRule(("cp", "a")), "run_command", command(text))


@pytest.mark.parametrize(
    "text", ["bash x", "python x", "env x", "sudo x", "rm -rf /", "make", "find . -delete"]
)
def test_a_stored_rule_for_a_program_that_runs_others_is_void(text: str) -> None:
    assert not matches(CommandRule((text.split(maxsplit=1)[0],)), "run_command", command(text))


@pytest.mark.parametrize("value", [None, 5, ["ls"], ""])
def test_a_command_that_is_no_text_matches_nothing(value: object) -> None:
    assert not matches(CommandRule(("ls",)), "run_command", {"command": value})
    assert not matches(CommandRule(()), "run_command", {"command": value})


def test_rules_of_one_kind_do_not_cover_tools_of_another() -> None:
    assert not matches(CommandRule(("ls",)), "write_file", command("ls"))
    assert not matches(PathRule("docs"), "run_command", {"command": "ls", "path": "docs/a"})


@pytest.mark.parametrize("path", ["docs/a.md", "./docs//deep/b.md", "docs/./c.md"])
def test_a_path_rule_covers_files_below_its_folder(path: str) -> None:
    assert matches(PathRule("docs"), "write_file", {"path": path})


@pytest.mark.parametrize(
    "path",
    [
        "docs", "docsx/a", "a.md", "../docs/a", "docs/../a", "/docs/a", "docs/.env", "docs/.git/x",
        "docs/Makefile", "docs/MAKEFILE", "docs/conftest.py", "docs/pyproject.toml", "docs/a\nb",
        "docs/.github/workflows/x.yml", "docs/package.json", "docs/setup.py", "docs/Dockerfile.dev",
        "docs/docker-compose.yml", "docs/alembic.ini", "docs/a\x00", "~/docs/a", "", "docs/x.mk",
    ],
)  # fmt: skip
def test_a_path_rule_covers_nothing_that_leads_out_or_decides_what_runs(path: str) -> None:
    assert not matches(PathRule("docs"), "write_file", {"path": path})


@given(st.lists(st.sampled_from(["a", "..", ".", "", "b", ".git", "/", "docs"]), max_size=6))
def test_no_spelling_of_a_path_leads_out_of_a_rule(parts: list[str]) -> None:
    path = "/".join(parts)
    if matches(PathRule("docs"), "write_file", {"path": path}):
        plain = [part for part in path.split("/") if part not in ("", ".")]
        assert plain[0] == "docs"
        assert not {"..", ".git"} & set(plain)


def test_a_command_is_widened_to_its_first_words() -> None:
    rule = ExactRule(canonical(command("git commit -m x")))
    assert widenings("run_command", rule) == (
        CommandRule(("git", "commit", "-m", "x")),
        CommandRule(("git", "commit", "-m")),
        CommandRule(("git", "commit")),
    )
    assert widenings("run_command", CommandRule(("ls", "-l"))) == (CommandRule(("ls",)),)
    assert widenings("run_command", ExactRule(canonical(command("ls; id")))) == ()


def test_a_file_is_widened_to_its_folders_but_not_to_the_whole_workspace() -> None:
    rule = ExactRule(canonical({"path": "docs/deep/a.md", "content": "x"}))
    assert widenings("write_file", rule) == (PathRule("docs/deep"), PathRule("docs"))
    assert widenings("write_file", PathRule("docs/deep")) == (PathRule("docs"),)
    assert widenings("write_file", ExactRule(canonical({"path": "a.md"}))) == ()
    assert widenings("write_file", ExactRule(canonical({"path": "docs/.env"}))) == ()
    assert widenings("write_file", ExactRule("no json")) == ()


def test_every_widening_still_covers_the_call() -> None:
    for tool, arguments in (
        ("run_command", command("pytest -q tests/a.py")),
        ("edit_file", {"path": "src/a/b.py", "old_text": "x", "new_text": "y"}),
    ):
        wider = widenings(tool, ExactRule(canonical(arguments)))
        assert wider
        assert all(matches(rule, tool, arguments) for rule in wider)


def test_rules_are_described_in_words() -> None:
    exact = ExactRule(canonical(command("pytest -q")))
    assert describe("run_command", exact) == "run_command: exactly pytest -q"
    assert describe("run_command", CommandRule(("git", "a b"))) == "run_command: git 'a b' …"
    assert describe("write_file", PathRule("docs")) == "write_file: files in docs/"


def test_guarded_files_are_told_from_plain_ones() -> None:
    assert is_guarded("a/.env")
    assert is_guarded("tox.ini")
    assert not is_guarded("src/main.py")
