"""The wishes of skills become rules as far as a person could give such a rule, and no further."""

from time import process_time

import pytest

from bot.domain.consent.grant import MOST, asked_rules
from bot.domain.consent.pre_approval import pre_approved
from bot.domain.consent.rules import describe, matches, widenings
from bot.domain.skills.skill import Skill
from bot.domain.tools.tool import CommandRule, ExactRule, PathRule, ReadingRule, RulePattern


def rules(*wishes: str) -> list[tuple[str, RulePattern]]:
    return list(asked_rules(pre_approved(wishes)))


@pytest.mark.parametrize(
    ("wish", "rule"),
    [
        ("Bash", ReadingRule()),
        ("Bash(*)", ReadingRule()),
        ("Bash(git:*)", ReadingRule(("git",))),
        ("Bash(git log:*)", CommandRule(("git", "log"))),
        ("Bash(ls *)", CommandRule(("ls",))),
        ("Bash(ls -la)", ExactRule('{"command":"ls -la"}')),
        ("run_command(wc -l:*)", CommandRule(("wc", "-l"))),
    ],
)
def test_wishes_for_commands_become_rules_for_commands_that_only_read(
    wish: str, rule: RulePattern
) -> None:
    assert rules(wish) == [("run_command", rule)]


@pytest.mark.parametrize("tool", ["Write", "Edit", "MultiEdit", "write_file", "edit_file"])
def test_wishes_for_a_folder_become_rules_for_its_documents(tool: str) -> None:
    ((name, rule),) = rules(f"{tool}(./notes/2026/**)")
    assert name in ("write_file", "edit_file")
    assert rule == PathRule("notes/2026")


@pytest.mark.parametrize(
    "wish",
    [
        *("Read", "Glob", "Grep", "WebFetch", "Task", "Skill", "send_message", "notes__add"),
        *("Write", "Edit", "Write(**)", "Write(./**)", "Write(/etc/**)", "Write(../x/**)"),
        *(
            "Write(notes/*)",
            "Write(notes/*.md)",
            "Write(n*/**)",
            "Write(.github/**)",
            "Write(~/**)",
        ),
        *("Write(a.md)", "delete_file(notes/**)", f"Write({'n' * 101}/**)"),
        *("Bash(python:*)", "Bash(npm run test:*)", "Bash(git push:*)", "Bash(git push)"),
        *("Bash(curl:*)", "Bash(rm -rf:*)", "Bash(sed:*)", "Bash(find:* -delete)", "Bash(l*)"),
        *("Bash(ls; rm -r x)", "Bash(ls $HOME)", "Bash(sort -o:*)", "Bash(git -c x=y log:*)"),
    ],
)
def test_no_other_wish_becomes_a_rule(wish: str) -> None:
    assert rules(wish) == []


def test_a_wish_for_all_commands_stands_for_the_narrower_ones_beside_it() -> None:
    asked = rules("Bash(git:*)", "Bash(ls:*)", "Bash", "Write(notes/**)", "Write(notes/**)")
    assert asked == [("run_command", ReadingRule()), ("write_file", PathRule("notes"))]


def test_so_many_rules_and_no_more_are_asked_for() -> None:
    assert len(rules(*(f"Write(folder-{n}/**)" for n in range(50)))) == MOST


@pytest.mark.parametrize(
    ("words", "command", "covered"),
    [
        ((), "ls -la docs", True),
        ((), "git log --oneline", True),
        ((), "git push origin main", False),
        ((), "python3 x.py", False),
        ((), "ls -la; rm x", False),
        ((), "cat .env", False),
        ((), "cat /etc/passwd", False),
        ((), "", False),
        (("git",), "git log", True),
        (("git",), "git status", False),
        (("git",), "git commit -m x", False),
        (("git",), "git diff --output=x", False),
        (("git",), "ls", False),
    ],
)
def test_a_rule_for_reading_covers_what_only_reads(
    words: tuple[str, ...], command: str, covered: bool
) -> None:
    assert matches(ReadingRule(words), "run_command", {"command": command}) is covered


def test_no_rule_without_words_covers_everything() -> None:
    assert not matches(CommandRule(()), "run_command", {"command": "ls"})
    assert not matches(ReadingRule(), "write_file", {"command": "ls", "path": "ls"})


def test_a_rule_for_reading_names_its_programs_and_grows_no_wider() -> None:
    told = describe("run_command", ReadingRule())
    assert told.startswith("Run commands that only read (b2sum, basename, cat, ")
    assert "git" in told
    git = describe("run_command", ReadingRule(("git",)))
    assert git.startswith("Run `git`, where it only reads (describe, log, ls-tree, ")
    assert "push" not in git
    assert widenings("run_command", ReadingRule(("git",))) == ()


def test_each_edition_of_a_skill_has_its_own_name() -> None:
    one = Skill("tea", "Makes tea.", "Boil.", "/s/tea", pre_approved=pre_approved(["Bash"]))
    same = Skill("tea", "Makes tea.", "Boil.", "/s/tea", pre_approved=pre_approved(["Bash"]))
    others = [
        Skill("tea", "Makes tea.", "Boil it.", "/s/tea", pre_approved=one.pre_approved),
        Skill("tea", "Makes tea.", "Boil.", "/t/tea", pre_approved=one.pre_approved),
        Skill("tea", "Makes tea.", "Boil.", "/s/tea", pre_approved=pre_approved(["Read"])),
    ]
    assert one.edition == same.edition
    assert one.edition.startswith("tea@")
    assert len({one.edition, *(other.edition for other in others)}) == 4


def test_of_very_many_wishes_the_first_are_looked_at() -> None:
    wishes = pre_approved([f"Bash(cat a{n})" for n in range(15_000)])
    before = process_time()
    assert len(asked_rules(wishes)) == MOST
    assert process_time() - before < 0.1
