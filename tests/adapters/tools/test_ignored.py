"""What `.gitignore` leaves out of a listing, beside what git itself says."""

import os
import subprocess
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bot.adapters.tools.ignored import IgnoreRules
from bot.adapters.tools.workspace import Workspace
from tests.adapters.tools.conftest import Run

_FILES = ("a.log", "keep.log", "build/x", "src/a.py", "src/build/y", "src/gen/z.c", "docs/a.log")
_RULES = (
    "*.log",
    "!keep.log",
    "build/",
    "/build",
    "src/*",
    "!src/gen",
    "gen/*.c",
    "**/z.c",
    "# a remark",
    "",
    "\\!odd",
    "docs/**",
    "[a-c].log",
    "***",
)


def _made(root: Path, *names: str) -> None:
    for name in names:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("words")


async def test_a_listing_leaves_out_what_the_project_ignores_and_says_so(
    run: Run, workspace: Path
) -> None:
    _made(workspace, *_FILES, "src/deep/a.log", "src/deep/kept.tmp", "x.tmp")
    (workspace / ".gitignore").write_text("*.log\n!keep.log\nbuild/\n*.tmp\n")
    (workspace / "src/deep/.gitignore").write_text("!kept.tmp\n")
    assert (await run("list_files")).text.splitlines() == [
        ".gitignore  29 B",
        "docs/",
        "keep.log  5 B",
        "src/",
        "[left out by .gitignore: a.log, build/, x.tmp; name one as path to look into it]",
    ]
    deep = (await run("list_files", pattern="**/*.*")).text
    assert "src/a.py" in deep
    assert "src/deep/kept.tmp" in deep
    assert "src/deep/a.log  " not in deep


async def test_a_search_reads_nothing_that_is_ignored_unless_it_is_named(
    run: Run, workspace: Path
) -> None:
    _made(workspace, *_FILES)
    (workspace / ".gitignore").write_text("build/\n*.log\n")
    assert (await run("search_files", query="words")).text.splitlines() == [
        "src/a.py:1: words",
        "src/gen/z.c:1: words",
    ]
    assert (await run("search_files", query="words", path="build")).text == "build/x:1: words"
    assert (await run("list_files", path="src/build")).text == "src/build/y  5 B"
    assert (await run("search_files", query="words", path="a.log")).text == "a.log:1: words"


async def test_rules_that_cannot_be_read_leave_nothing_out(run: Run, workspace: Path) -> None:
    _made(workspace, "a.log")
    (workspace / ".gitignore").symlink_to("/etc/passwd")
    assert "a.log" in (await run("list_files")).text
    (workspace / ".gitignore").unlink()
    (workspace / ".gitignore").mkdir()
    assert "a.log" in (await run("list_files")).text
    (workspace / ".gitignore").rmdir()
    (workspace / ".gitignore").write_bytes(b"\xff\xfe\n!\n/\n\\\n[\n*a*a*a*a*a*ab\n")
    _made(workspace, "a" * 250)
    assert "a.log" in (await run("list_files")).text


async def test_rules_that_take_long_to_compare_are_left_out(run: Run, workspace: Path) -> None:
    rules = ["*.log", *[f"a*a*{n}*b" for n in range(400)], *[f"*a*{n}" for n in range(400)]]
    kept = IgnoreRules(Workspace(workspace))
    _made(workspace, "a.log", "deep/b.log")
    for folder in (workspace, workspace / "deep"):
        (folder / ".gitignore").write_text("\n".join(rules))
        kept = kept.within(folder.relative_to(workspace).parts)
    costly = [
        pattern
        for known in kept._rules
        for pattern in known.spec.patterns
        if str(pattern.pattern).count("*") > 1
    ]
    assert len(costly) == 60
    assert "a.log" not in (await run("list_files")).text.partition("[")[0]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40)
@given(st.lists(st.sampled_from(_RULES), max_size=6), st.lists(st.sampled_from(_RULES), max_size=3))
def test_the_rules_mean_what_they_mean_to_git(
    tmp_path: Path, above: list[str], own: list[str]
) -> None:
    root = tmp_path / os.urandom(4).hex()
    _made(root, *_FILES)
    subprocess.run(["git", "init", "-q", root], check=True)
    (root / ".gitignore").write_text("\n".join(above))
    (root / "src/.gitignore").write_text("\n".join(own))
    told = subprocess.run(
        ["git", "-C", root, "check-ignore", "--no-index", *_FILES],
        capture_output=True,
        text=True,
        check=False,
    )
    ours = [name for name in _FILES if _ignored(Workspace(root), tuple(name.split("/")))]
    assert ours == told.stdout.splitlines()


def _ignored(workspace: Workspace, names: tuple[str, ...]) -> bool:
    """True when a walk from the top would not come to the entry."""
    rules = IgnoreRules(workspace)
    for depth in range(len(names)):
        rules = rules.within(names[:depth])
        if rules.ignores(names[: depth + 1], folder=depth + 1 < len(names)):
            return True
    return False
