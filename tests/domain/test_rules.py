"""Which calls a standing rule covers."""

from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.domain.consent.approval import Rule
from bot.domain.consent.command_line import only_reads
from bot.domain.consent.rules import DOCUMENTS, allowed_by, describe, is_guarded, matches, widenings
from bot.domain.tools.tool import (
    CommandRule,
    ExactRule,
    PathRule,
    ReadingRule,
    RulePattern,
    ToolRule,
    canonical,
)
from tests.domain.logs import NOON


def command(text: str) -> dict[str, str]:
    return {"command": text}


@pytest.mark.parametrize(
    ("pattern", "under", "told"),
    [
        (PathRule("notes/old"), "", "as your rule for notes/old/ allows"),
        (PathRule("."), "", "as your rule for all documents allows"),
        (ExactRule("{}"), "", "as your rule for exactly this allows"),
        (CommandRule(("git", "log")), "", "as your rule for `git log …` allows"),
        (ToolRule(), "", "as your rule for any call of this tool allows"),
        (ExactRule("{}"), "tidy-csv@1", "as you allowed for this skill"),
        (ReadingRule(()), "", ""),
        (ReadingRule(("git",)), "tidy-csv@1", ""),
    ],
)
def test_a_rule_says_why_a_call_did_not_ask(pattern: RulePattern, under: str, told: str) -> None:
    given = Rule(1, 1, 1, "run_command", pattern, "", NOON, under=under)
    assert allowed_by(given) == told


def test_an_exact_rule_covers_this_call_alone() -> None:
    rule = ExactRule(canonical({"path": "a", "content": "x"}))
    assert matches(rule, "write_file", {"content": "x", "path": "a"})
    assert not matches(rule, "write_file", {"content": "y", "path": "a"})
    assert not matches(rule, "write_file", {"content": "x", "path": "a", "more": 1})


def test_a_command_rule_covers_commands_that_begin_with_its_words() -> None:
    rule = CommandRule(("git", "log"))
    assert matches(rule, "run_command", command("git log"))
    assert matches(rule, "run_command", command("git log --oneline -20 -- docs/a.md"))
    assert matches(rule, "run_command", {"command": "git log --stat", "timeout": 5})


@pytest.mark.parametrize(
    "text",
    [
        "git logs", "git", "git -c x=y log", "git log; id", "git log && id", "git log $(id)",
        "git log > x", "git log\nid", "X=1 git log", "'git log'", "git log | sh", "git log ../x",
        "git log /etc/x", "git log .git/config", "git log --output=x", "git log --ext-diff",
        "git log --format=%G?", "git log --format=%+G?", "git log --format=%-G?", "git log -p",
        "git log '--format=% G?'", "git log -S x", "git log -L 1,2:a",
        "git log --remerge-diff", "git log --textconv", "git log -O x", "git log --since yesterday",
        "git log -U --ext-diff", "git log -c", "git log --show-signature",
    ],
)  # fmt: skip
def test_a_command_rule_covers_nothing_else(text: str) -> None:
    assert not matches(CommandRule(("git", "log")), "run_command", command(text))


@pytest.mark.parametrize("text", ["ls -I.git/hooks", "ls -rI/etc", "ls --ignore=../x"])
def test_a_command_rule_covers_no_guarded_place_glued_to_an_option(text: str) -> None:
    assert matches(CommandRule(("ls",)), "run_command", command("ls -rI b"))
    assert not matches(CommandRule(("ls",)), "run_command", command(text))


@pytest.mark.parametrize(
    "text",
    [
        "bash x", "python x", "env x", "sudo x", "rm -rf /", "make", "find . -delete", "pytest -q",
        "tee a", "cp a b", "mv a b", "patch -p1 a", "git push", "git commit -m x", "git branch x",
        "linux64 id", "setpriv id", "perl5.36-x86_64-linux-gnu x", "pdb3 x", "pydoc3 x", "prove x",
        "vim.basic x", "printenv", "jq -n x", "openssl rand", "gpg x", "uniq a b", "shuf -o a b",
        "xxd a b", "sort -o a b", "sort -T a b", "date 01010101", "date -I 01010101", "tree -o a",
        "tail -f a", "hostname x", "strings @a", "file -C -m a", "rg --pre id x", "split a",
        "tree -Io x a", "tree -Lo 2 a", "tree -aI x a", "find -- . -exec id x",
        "find -- . -fprintf a x", "find . -- -delete", "date -- 01010000", "uname -- a",
        "uniq -- a b", "git log -zn --output=x", "git log -nO x", "tail -cf a", "tail +1f a",
        "diff -l a b", "LS", "./ls", "ls --unknown", "git difftool", "git grep -O x",
    ],
)  # fmt: skip
def test_a_stored_rule_covers_only_what_is_known_to_read(text: str) -> None:
    assert not matches(CommandRule((text.split(maxsplit=1)[0],)), "run_command", command(text))
    assert widenings("run_command", ExactRule(canonical(command(text)))) == ()


@pytest.mark.parametrize(
    "text",
    [
        "tree -a -I x -L 2 a", "tree -L2", "tree -- a", "find -- . -name x", "date -- +%F",
        "git log -n5 -- a", "git log -n 5", "sort -nrk2 -- a", "grep -rnA3 x", "head -qn 5 a",
        "uniq -- a", "ls -- -l", "tail -n5 a", "tail -c20 -- a", "tail -n +2 a",
    ],
)  # fmt: skip
def test_what_reads_is_read_in_the_way_of_its_program(text: str) -> None:
    assert only_reads(text.split())


@pytest.mark.parametrize(
    "text",
    [
        "tree -Io x a", "tree -Lo 2 a", "tree -aI x a", "find -- . -exec id x",
        "find -- . -fprintf a x", "date -- 01010000", "uname -- a", "git log -zn --output=x",
        "tail -cf a", "tail +1f a",
    ],
)  # fmt: skip
def test_the_table_itself_lets_none_of_these_through(text: str) -> None:
    assert not only_reads(text.split())


@pytest.mark.parametrize("value", [None, 5, ["ls"], ""])
def test_a_command_that_is_no_text_matches_nothing(value: object) -> None:
    assert not matches(CommandRule(("ls",)), "run_command", {"command": value})
    assert not matches(CommandRule(()), "run_command", {"command": value})


def test_rules_of_one_kind_do_not_cover_tools_of_another() -> None:
    assert not matches(CommandRule(("ls",)), "write_file", command("ls"))
    assert not matches(PathRule("docs"), "run_command", {"command": "ls", "path": "docs/a.md"})


@pytest.mark.parametrize("path", ["docs/a.md", "./docs//deep/b.TXT", "docs/./c.csv"])
def test_a_path_rule_covers_files_below_its_folder(path: str) -> None:
    assert matches(PathRule("docs"), "write_file", {"path": path})


@pytest.mark.parametrize(
    "path",
    [
        "docs", "docsx/a.md", "a.md", "../docs/a.md", "docs/../a.md", "/docs/a.md", "docs/a",
        "docs/.env", "docs/.git/x",
        "docs/Makefile", "docs/MAKEFILE", "docs/conftest.py", "docs/pyproject.toml", "docs/a\nb",
        "docs/.github/workflows/x.yml", "docs/package.json", "docs/setup.py", "docs/Dockerfile.dev",
        "docs/docker-compose.yml", "docs/alembic.ini", "docs/a\x00", "~/docs/a", "", "docs/x.mk",
        "docs/conf.py", "docs/__init__.py", "docs/BUILD", "docs/Snakefile", "docs/flake.nix",
        "docs/index.js", "docs/x.sh", "docs/x.service", "docs/nginx.conf", "docs/crontab",
        "docs/playbook.yml", "docs/HEAD", "docs/config", "docs/pre-commit", "docs/configure",
        "docs/requirements.txt", "docs/dev-requirements.txt", "docs/CMakeLists.txt",
        "docs/test_run.txt", "docs/CLAUDE.md", "docs/AGENTS.md", "docs/.hidden.md", "docs/md",
        "docs/a.md.sh", "docs/.md",
    ],
)  # fmt: skip
def test_a_path_rule_covers_nothing_that_leads_out_or_decides_what_runs(path: str) -> None:
    assert not matches(PathRule("docs"), "write_file", {"path": path})


@given(st.lists(st.sampled_from(["a.md", "..", ".", "", "b", ".git", "/", "docs"]), max_size=6))
def test_no_spelling_of_a_path_leads_out_of_a_rule(parts: list[str]) -> None:
    path = "/".join(parts)
    if matches(PathRule("docs"), "write_file", {"path": path}):
        plain = [part for part in path.split("/") if part not in ("", ".")]
        assert plain[0] == "docs"
        assert not {"..", ".git"} & set(plain)


def test_a_command_is_widened_to_its_first_words() -> None:
    rule = ExactRule(canonical(command("git log -n 5 docs")))
    assert widenings("run_command", rule) == (
        CommandRule(("git", "log", "-n", "5", "docs")),
        CommandRule(("git", "log", "-n", "5")),
        CommandRule(("git", "log")),
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
        ("run_command", command("grep -rn needle tests/a.py")),
        ("edit_file", {"path": "notes/a/b.md", "old_text": "x", "new_text": "y"}),
    ):
        wider = widenings(tool, ExactRule(canonical(arguments)))
        assert wider
        assert all(matches(rule, tool, arguments) for rule in wider)


def test_an_operator_may_name_further_endings_of_documents() -> None:
    documents = DOCUMENTS | {".org"}
    path = {"path": "docs/a.org"}
    assert not matches(PathRule("docs"), "write_file", path)
    assert matches(PathRule("docs"), "write_file", path, documents)
    assert widenings("write_file", ExactRule(canonical(path)), documents) == (PathRule("docs"),)


def test_rules_are_described_in_words() -> None:
    exact = ExactRule(canonical(command("pytest -q")))
    assert describe("run_command", exact) == "Run `pytest -q`"
    assert describe("run_command", CommandRule(("git", "a b"))) == "Run `git 'a b' …`"
    assert describe("write_file", PathRule("docs")) == "Write documents in docs/"
    assert describe("delete_file", PathRule("docs")) == "Delete documents in docs/"
    one = ExactRule(canonical({"path": "n/t.md", "content": "x"}))
    assert describe("write_file", one) == "Write exactly this content in n/t.md"


def test_guarded_files_are_told_from_plain_ones() -> None:
    assert is_guarded("a/.env")
    assert is_guarded("tox.ini")
    assert not is_guarded("src/main.py")


def test_a_rule_for_a_tool_counts_while_a_card_would_offer_it_and_for_servers_alone() -> None:
    rule, name = ToolRule(), "sums__calculate"
    assert matches(rule, name, {"term": "1+1"}, offered=ToolRule())
    assert not matches(rule, name, {"term": "1+1"})
    assert not matches(rule, name, {"term": "1+1"}, offered=ExactRule('{"term":"1+1"}'))
    assert not matches(rule, "run_command", command("ls"), offered=ToolRule())
    assert widenings(name, rule) == ()
    assert describe(name, rule) == "Use calculate of the server sums, any call"


@pytest.mark.parametrize(
    "text", ["cat " + "a " * 15_000, "ls " + f"-{'a' * 198} " * 150, "cat " + "a/" * 15_000]
)
def test_a_rule_does_not_cover_a_command_that_takes_long_to_judge(text: str) -> None:
    before = process_time()
    for _ in range(20):
        assert not matches(CommandRule((text[:3].strip(),)), "run_command", {"command": text})
    assert not matches(PathRule("a"), "write_file", {"path": "a/" * 15_000 + "x.md"})
    assert not widenings("run_command", ExactRule(canonical({"command": text})))
    assert process_time() - before < 0.5


@pytest.mark.parametrize("count", [1, 20])
def test_the_longest_covered_command_is_judged_soon(count: int) -> None:
    words = ["cat", *["a" * (3_900 // count)] * count]
    text = " ".join(words)
    before = process_time()
    assert matches(CommandRule(("cat",)), "run_command", {"command": text})
    assert is_guarded("a/" * 1_990 + ".git")
    assert widenings("run_command", ExactRule(canonical({"command": "cat " + "a " * 1_500})))
    assert process_time() - before < 0.1


@pytest.mark.parametrize(
    "path",
    ["docs/AGENT.md", "docs/entry_points.txt", "requirements/dev.txt", "build/CMakeCache.txt"],
)
def test_no_rule_covers_further_documents_that_tools_obey(path: str) -> None:
    assert is_guarded(path)
    assert not matches(PathRule(path.partition("/")[0]), "write_file", {"path": path})


def test_a_widened_command_has_at_most_twenty_words() -> None:
    long = ExactRule(canonical(command("cat " + " ".join(f"f{n}" for n in range(40)))))
    wider = widenings("run_command", long)
    words = [len(rule.words) for rule in wider if isinstance(rule, CommandRule)]
    assert (len(words), max(words)) == (len(wider), 20)
