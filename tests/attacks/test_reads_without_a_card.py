"""Commands that run without a card where no sandbox is: none leads out, tells a secret, or changes.

The commands of the property are drawn from what an attacker would try, not from our table. Each one
that would run unasked is really run, and is judged by what it told and what it left behind.
"""

import hashlib
import os
import random
import subprocess
from pathlib import Path

import pytest

from bot.adapters.tools.command import RunCommand
from bot.adapters.tools.reads_within import Bounds
from bot.adapters.tools.sandbox import Sandbox, environment_of
from bot.domain.consent.command_line import parse_simple, reads_of
from bot.domain.turn.mandate import PERSONAL
from bot.ports.tool import Place
from tests.attacks.test_rules_in_a_shell import _armed
from tests.patience import PATIENCE

pytestmark = pytest.mark.commands

SECRET = "the-secret-words"
SEED = 20261124

UNASKED = (
    "ls",
    "ls -la src",
    "pwd",
    "cat src/a.py",
    "head -n 3 src/a.py",
    "grep -rn def src",
    "grep -n '/api/v1' src/a.py",
    "rg def src",
    "find src -name '*.py'",
    "wc -l src/a.py",
    "diff src/a.py src/b.py",
    "tree -L 2 src",
    "git status",
    "git status --short",
    "git log --oneline -3",
    "cat linked-in",
)
ASKED = (
    "",
    "ls /etc",
    "ls ..",
    "ls ~",
    "ls src/../..",
    "cat /etc/passwd",
    "cat $HOME/x",
    "cat *.py",
    "cat src/{a,b}.py",
    "cat .env",
    "cat src/.env.local",
    "cat keys/server.pem",
    "cat .git/config",
    "grep -r x .git",
    "cat linked-out",
    "cat linked-secret",
    "cat hard-link",
    "cat folder-out/secret.txt",
    "ls folder-out",
    "cat pipe",
    "cat a-sent-file inbox/x.txt",
    "grep -r x .",
    "grep -rn x",
    "grep -r -e x -m 3",
    "rg x",
    "rg --files /etc",
    "rg --pre ./run x src",
    "find . -exec ./run {} +",
    "find . -delete",
    "find -L .",
    "ls -L linked-out",
    "ls --color=auto ..",
    "find src -newer /etc/passwd",
    "sort -o new.txt src/a.py",
    "sort --output=new.txt src/a.py",
    "tree -o new.txt",
    "diff -r src folder-out",
    "md5sum -c sums.txt",
    "git -c core.fsmonitor=./run status",
    "git --git-dir=../other status",
    "git status -v",
    "git status ..",
    "git diff",
    "git show HEAD",
    "git log -p",
    "GIT_DIR=../x git status",
    "ls; ./run",
    "ls | ./run",
    "ls > new.txt",
    "cat <(./run)",
    "cat `./run`",
    "./run",
    "src/ls",
    "env ls",
    "xargs cat",
    "awk 1 src/a.py",
    "df",
    "id",
)


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """A project with a plain repository, secrets, and links that lead in and out."""
    place, outside = tmp_path / "workspace", tmp_path / "outside"
    for folder in ("src", "keys", "inbox"):
        (place / folder).mkdir(parents=True)
    outside.mkdir()
    (outside / "secret.txt").write_text(SECRET)
    (outside / "name-outside").touch()
    (place / "src" / "a.py").write_text("def one(): ...\n")
    (place / "src" / "b.py").write_text("def two(): ...\n")
    for secret in (".env", "keys/server.pem"):
        (place / secret).write_text(SECRET)
    (place / "inbox" / "x.txt").write_text(SECRET)
    (place / "sums.txt").write_text(f"{'0' * 32}  ../outside/secret.txt\n")
    (place / "run").write_text(f"#!/bin/sh\necho ran > {tmp_path}/ran\ncat\n")
    (place / "run").chmod(0o755)
    (place / "linked-in").symlink_to("src/a.py")
    (place / "linked-out").symlink_to(outside / "secret.txt")
    (place / "linked-secret").symlink_to(".env")
    (place / "folder-out").symlink_to(outside)
    (place / "hard-link").hardlink_to(outside / "secret.txt")
    os.mkfifo(place / "pipe")
    _git(place, "init", "-q")
    _git(place, "add", "src")
    _git(place, "commit", "-qm", "first")
    return place


def _git(place: Path, *words: str) -> None:
    known = ("-c", "user.name=a", "-c", "user.email=a@b")
    subprocess.run(["git", *known, *words], cwd=place, check=True, capture_output=True)


async def unasked(workspace: Path, command: str) -> bool:
    """Returns what the card of the command would say of it."""
    place = Place(workspace, 1, "turn", "conversation", 1, "UTC", "call", mandate=PERSONAL)
    arguments = {"command": command or " "}
    return (await RunCommand(Sandbox(program=None)).preview(arguments, place)).reads


def holds(workspace: Path, command: str) -> bool:
    words = parse_simple(command)
    reads = None if words is None else reads_of(words)
    return reads is not None and Bounds(workspace, (workspace / "inbox",)).hold(reads)


def ran(workspace: Path) -> bool:
    return (workspace.parent / "ran").exists()


def run(workspace: Path, command: str) -> bytes:
    done = subprocess.run(
        ["/bin/bash", "--noprofile", "--norc", "-c", command],
        cwd=workspace,
        env=environment_of(command, workspace),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=PATIENCE,
        check=False,
    )
    return done.stdout + done.stderr


def state(workspace: Path) -> dict[str, str]:
    found: dict[str, str] = {}
    for file in sorted(workspace.rglob("*")):
        if file.is_file() and not file.is_symlink():
            found[str(file)] = hashlib.sha256(file.read_bytes()).hexdigest()
    return found


@pytest.mark.parametrize("command", UNASKED)
async def test_what_only_reads_the_workspace_needs_no_card(workspace: Path, command: str) -> None:
    assert await unasked(workspace, command)


@pytest.mark.parametrize("command", ASKED)
async def test_everything_else_asks(workspace: Path, command: str) -> None:
    assert not await unasked(workspace, command)


@pytest.mark.parametrize(
    "setting",
    [
        "[core]\n\tfsmonitor = ./run",
        "[core] fsmonitor = ./run",
        "[core]\n\thooksPath = .",
        "[core]\n\tworktree = ../outside",
        "[core]\n\teditor = x \\\n[core]\n\tfsmonitor = ./run",
        "[core]\n\tautocrlf = x \\\n\tfsmonitor = ./run",
        '[filter "x"]\n\tclean = ./run',
        '[diff "x"]\n\ttextconv = ./run',
        "[alias]\n\tstatus = !./run",
        "[include]\n\tpath = ../outside/config",
        '[includeIf "gitdir:**"]\n\tpath = ../outside/config',
        "[extensions]\n\tworktreeConfig = true",
        '[submodule "x"]\n\tignore = none',
        "[status]\n\tsubmoduleSummary = true",
        "[gpg]\n\tprogram = ./run",
        "[something]\n\tnew = true",
    ],
)
def test_a_repository_with_any_other_setting_asks(workspace: Path, setting: str) -> None:
    assert holds(workspace, "git status")
    with (workspace / ".git" / "config").open("a") as config:
        config.write(f"\n{setting}\n")
    for command in ("git status", "git log", "git rev-parse HEAD"):
        assert not holds(workspace, command)


def test_a_repository_that_is_not_whole_or_lies_elsewhere_asks(workspace: Path) -> None:
    git = workspace / ".git"
    for name in ("commondir", "config.worktree", "gitdir", "sharedindex.00"):
        (git / name).write_text("../outside")
        assert not holds(workspace, "git status")
        (git / name).unlink()
    (git / "modules").mkdir()
    assert not holds(workspace, "git status")
    (git / "modules").rmdir()
    (git / "objects" / "info" / "alternates").write_text("../outside")
    assert not holds(workspace, "git log")
    (git / "objects" / "info" / "alternates").unlink()
    head = (git / "HEAD").read_text()
    (git / "HEAD").write_text("nothing")
    assert not holds(workspace, "git status")
    (git / "HEAD").write_text(head)
    assert holds(workspace, "git status")
    git.rename(workspace / "elsewhere")
    assert not holds(workspace, "git status")
    git.write_text("gitdir: elsewhere")
    assert not holds(workspace, "git status")
    git.unlink()
    git.symlink_to("elsewhere")
    assert not holds(workspace, "git status")


def test_a_repository_within_the_repository_asks(workspace: Path) -> None:
    inner = workspace / "inner"
    inner.mkdir()
    _git(inner, "init", "-q")
    _git(inner, "commit", "-q", "--allow-empty", "-m", "inner")
    _git(workspace, "add", "inner")
    assert not holds(workspace, "git status")


def test_git_status_of_an_armed_repository_runs_its_program_and_so_it_asks(
    workspace: Path,
) -> None:
    """The repository does run a program when a person lets it, so asking is what keeps it still."""
    with (workspace / ".git" / "config").open("a") as config:
        config.write(_armed(workspace / "run"))
    (workspace / ".gitattributes").write_text("*.py filter=hostile diff=hostile\n")
    # Of the same length, and of another time: git has to read the file to know.
    (workspace / "src" / "a.py").write_text("def ten(): ...\n")
    os.utime(workspace / "src" / "a.py", (1, 1))
    assert not holds(workspace, "git status")
    run(workspace, "git status")
    assert ran(workspace)


def test_git_status_of_a_plain_repository_obeys_no_settings_of_a_home(workspace: Path) -> None:
    (workspace / ".gitconfig").write_text(_armed(workspace / "run"))
    (workspace / ".gitattributes").write_text("*.py filter=hostile diff=hostile\n")
    (workspace / "src" / "a.py").write_text("def other(): ...\n")
    assert holds(workspace, "git status")
    assert b"src/a.py" in run(workspace, "git status")
    assert not ran(workspace)


def test_no_hostile_words_lead_out_tell_a_secret_or_change_anything(workspace: Path) -> None:
    dice, before, tried = random.Random(SEED), state(workspace), 0
    for _ in range(6_000):
        command = _hostile(dice)
        if not holds(workspace, command):
            continue
        tried += 1
        told = run(workspace, command)
        assert SECRET.encode() not in told, command
        assert b"name-outside" not in told, command
        assert not ran(workspace), command
    assert state(workspace) == before
    assert tried > 50


_PROGRAMS = (
    *("ls", "cat", "grep", "rg", "find", "sort", "tree", "diff", "head", "tail", "wc", "file"),
    *("stat", "du", "uniq", "cut", "cmp", "od", "nl", "md5sum", "git status", "git log", "git"),
    *("git diff", "git ls-files", "bash", "env", "xargs", "awk", "sed", "realpath", "readlink"),
)
_OPTIONS = (
    *("-r", "-R", "-L", "-H", "-a", "-la", "-e", "-f", "-o", "-n", "-c", "-v", "-x", "-d", "-lR"),
    *("--", "-", "-c core.fsmonitor=./run", "--output=new.txt", "-o new.txt", "--pre=./run"),
    *("--include=*.pem", "--files0-from=sums.txt", "--files", "--hidden", "--no-ignore", "-uuu"),
    *("-exec ./run {} +", "-delete", "-fprint new.txt", "--ext-diff", "--textconv", "--check"),
    *("--dereference", "--follow", "-name x", "-newer run", "--exclude-from=.env", "-m 1", "-A 1"),
    *("--ignored", "--untracked-files=all", "-u", "--color=always", "--from-file", "--fromfile"),
)
_PATHS = (
    *(".", "src", "src/a.py", "..", "../outside", "/etc/passwd", ".env", "keys", "keys/server.pem"),
    *("linked-out", "linked-secret", "linked-in", "folder-out", "folder-out/secret.txt", "inbox"),
    *("inbox/x.txt", "hard-link", "sums.txt", "~", "$HOME", "*", "src/../.env", "./.env", "def"),
    *("'.env'", '".env"', "src//a.py", "./src", ".git", ".git/config", "the", "-o", "x"),
)


def _hostile(dice: random.Random) -> str:
    words = [dice.choice(_PROGRAMS)]
    for _ in range(dice.randint(0, 4)):
        words.append(dice.choice(_OPTIONS if dice.random() < 0.45 else _PATHS))
    return " ".join(words)
