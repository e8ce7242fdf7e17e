"""Commands that a standing rule would let through are really run: none of them may change a thing.

Options and operands are drawn from everything a program could be given, not from what our table
names, so that a wrong entry of the table is found by what the program does with it.
"""

import hashlib
import os
import random
import shutil
import signal
import string
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from bot.adapters.tools.sandbox import environment_of
from bot.domain.consent.command_line import only_reads, parse_simple
from bot.domain.consent.command_line.programs import names
from bot.domain.consent.command_line.readers import READERS, ReadingForms
from bot.domain.consent.rules import matches
from bot.domain.tools.tool import CommandRule
from tests.lacking import THOROUGH, missing
from tests.patience import PATIENCE

SEED = 20261122
_OTHERS = names(
    "tee cp mv ln install patch shuf xxd iconv gpg openssl ssh-keygen sdiff linux64 setarch "
    "setpriv prlimit choom sg capsh printenv env perl python3 pdb3 pydoc3 vim.basic prove awk sed "
    "dd touch rm truncate split csplit tar gzip zip unzip nice xargs timeout make bash"
)
"""Programs that write, or run others: no rule may let one of them through, however it is called."""

_VALUES = (
    "1",
    "a.txt",
    "b.txt",
    "new.txt",
    "sub",
    "x=y",
    "id>new.txt",
    "+x",
    "%s",
    "@a.txt",
    "0101",
)
_LONG = (
    "output", "exec", "pre", "ext-diff", "textconv", "compress-program", "files0-from", "filter",
    "to-file", "show-signature", "upload-pack", "open-files-in-pager", "set", "reference", "color",
    "format", "format=%G?", "format=%+G?", "format=%-G?", "format=oneword", "stat", "patch",
    "delete", "fprint", "log-file", "temporary-directory", "pretty", "oneline", "all", "reverse",
)  # fmt: skip
_GIT = sorted(
    names(
        "status log show diff blame shortlog describe rev-parse ls-files ls-tree branch tag config "
        "commit add stash grep archive bundle"
    )
)


_RUNNING = (
    "git status",
    "git diff",
    "git show HEAD^",
    "git log -p",
    "git log -S x",
    "git blame a.txt",
    "git log --format=%G?",
    "git log --format=%+G?",
    "git log '--format=% G?'",
    "git show --show-signature",
    "git cat-file -p HEAD^:sub/c.txt",
)
"""Commands that run a program which the armed repository names."""

_DRIVER = "*.txt diff=hostile filter=hostile merge=hostile\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A workspace with text files, names that look like options, and a repository that is armed.

    The settings of the repository, and those in the home, name a program for everything that git
    may run: a watcher of files, drivers, filters, signatures, pagers, hooks and a missing object.
    """
    place = tmp_path / "workspace"
    (place / "sub").mkdir(parents=True)
    for name in ("a.txt", "b.txt", "sub/c.txt", "--output=new.txt", "-o"):
        (place / name).write_text("1 one\n2 two\n3 three\n")
    # The object that will be missing is in one commit alone: the patch of the other one is shown.
    (place / "sub" / "c.txt").write_text("1 missing\n")
    program = place / "run"
    program.write_text(f"#!/bin/sh\necho ran > {place}/new.txt\ncat\n")
    program.chmod(0o755)
    for words in (("init", "-q"), ("add", "."), ("commit", "-qm", "first")):
        _git(place, *words)
    _sign(place)
    _arm(place, program)
    return place


def _git(place: Path, *words: str, text: str | None = None) -> str:
    known = ("-c", "user.name=a", "-c", "user.email=a@b")
    return subprocess.run(
        ["git", *known, *words], cwd=place, check=True, capture_output=True, text=True, input=text
    ).stdout


def _sign(place: Path) -> None:
    """Puts a commit with a signature, which git would check with a program, on the branch."""
    (place / "b.txt").write_text("1 one\n2 other\n")
    _git(place, "commit", "-qam", "second")
    head, _, words = _git(place, "cat-file", "commit", "HEAD").partition("\n\n")
    signature = "gpgsig -----BEGIN PGP SIGNATURE-----\n \n abc\n -----END PGP SIGNATURE-----"
    signed = f"{head}\n{signature}\n\n{words}"
    commit = _git(place, "hash-object", "-t", "commit", "-w", "--stdin", text=signed).strip()
    _git(place, "update-ref", "HEAD", commit)


def _arm(place: Path, program: Path) -> None:
    (place / "a.txt").write_text("1 one\n2 changed\n")
    (place / ".gitattributes").write_text(_DRIVER)
    hooks = place / ".git" / "hooks"
    for name in ("post-index-change", "reference-transaction", "fsmonitor-watchman"):
        (hooks / name).write_text(program.read_text())
        (hooks / name).chmod(0o755)
    gone = _git(place, "rev-parse", "HEAD^:sub/c.txt", "HEAD^{tree}").split()
    (place / ".git" / "objects" / gone[0][:2] / gone[0][2:]).unlink()
    (place / ".gitconfig").write_text(_armed(program))
    with (place / ".git" / "config").open("a") as settings:
        settings.write(_armed(program))
        settings.write(
            "[core]\n\trepositoryformatversion = 1\n[extensions]\n\tpartialClone = far\n"
            f'[remote "far"]\n\turl = .\n\tpromisor = true\n\tuploadpack = {program}\n'
        )


def _armed(program: Path) -> str:
    """Returns settings that name the program wherever git takes the name of one."""
    return f"""
[core]
	fsmonitor = {program}
	pager = {program}
	editor = {program}
	sshCommand = {program}
	askPass = {program}
[pager]
	log = {program}
	show = {program}
	diff = {program}
	blame = {program}
[diff]
	external = {program}
[diff "hostile"]
	command = {program}
	textconv = {program}
[filter "hostile"]
	clean = {program}
	smudge = {program}
	process = {program}
[merge "hostile"]
	driver = {program}
[gpg]
	program = {program}
[gpg "ssh"]
	program = {program}
[gpg "x509"]
	program = {program}
[log]
	showSignature = true
	diffMerges = remerge
[pretty]
	oneword = format:%G?
[format]
	pretty = format:%G?
[alias]
	x = !{program}
[protocol]
	allow = always
[protocol "ext"]
	allow = always
[trace2]
	normalTarget = {program.parent}/new.txt
"""


def _state(place: Path) -> Mapping[str, str]:
    """Every file with its digest, mode and time; without git's index, which a look refreshes."""
    found: dict[str, str] = {}
    for path in sorted(place.rglob("*")):
        if path.name not in ("index", "index.lock", ".git"):
            digest = hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else "folder"
            known = path.lstat()
            found[str(path.relative_to(place))] = f"{known.st_mode:o} {known.st_mtime_ns} {digest}"
    return found


def _options(chance: random.Random) -> list[str]:
    letters = "".join(
        chance.choices(string.ascii_letters + string.digits, k=chance.choice((1, 1, 2)))
    )
    long = chance.choice(_LONG)
    value = chance.choice(_VALUES)
    return [
        f"-{letters}",
        f"-{letters}{value}",
        f"--{long}",
        f"--{long}={value}",
        f"-{long}",
        value,
    ]


def _command(program: str, chance: random.Random) -> str:
    words = [program]
    if program == "git":
        words.append(chance.choice(_GIT))
    for _ in range(chance.randint(0, 3)):
        words.append(chance.choice(_options(chance)))
    words += chance.sample(_VALUES, k=chance.randint(0, 2))
    return " ".join(f"'{w}'" if ">" in w else w for w in words)


def _each_option(program: str) -> Iterator[str]:
    """Every option there could be, with a file that is not there as its value, and two that are."""
    for start in [f"git {verb}" for verb in _GIT] if program == "git" else [program]:
        for letter in string.ascii_letters + string.digits:
            yield f"{start} -{letter} new.txt a.txt"
            yield f"{start} -{letter}new.txt a.txt b.txt"
        for name in _LONG:
            yield f"{start} --{name}=new.txt a.txt"
            yield f"{start} -{name} new.txt"
        yield f"{start} a.txt new.txt"


def _rule(command: str) -> CommandRule:
    """The widest rule a person could have: the bare program, or the program's subcommand."""
    words = command.split()
    return CommandRule(tuple(words[:2]) if words[0] == "git" else (words[0],))


def test_what_a_rule_lets_through_changes_nothing(folder: Path) -> None:
    chance = random.Random(SEED)
    programs = [*READERS, *["git"] * 10]
    commands = {_command(program, chance) for program in programs for _ in range(20)}
    commands |= {text for program in READERS for text in _each_option(program)}
    let_through = [
        text for text in sorted(commands) if matches(_rule(text), "run_command", {"command": text})
    ]
    assert len(let_through) > 500
    assert {text.split()[0] for text in let_through} >= {
        "git",
        "ls",
        "find",
        "sort",
        "uniq",
        "date",
    }
    before = _state(folder)
    _run_all(folder, let_through)
    assert _state(folder) == before


def test_what_a_rule_lets_through_shows_no_more_than_it_did(folder: Path) -> None:
    """The rule is still worth having: an armed repository tells its history."""
    for text in ("git log --oneline -3", "git log --stat", "git rev-parse HEAD"):
        assert matches(_rule(text), "run_command", {"command": text})
    environ = environment_of("git log --oneline -3", folder)
    told = subprocess.run(
        ["git", "log", "--oneline"], cwd=folder, env=environ, check=True, capture_output=True
    )
    assert told.stdout.count(b"\n") == 2


@pytest.mark.parametrize("text", _RUNNING)
def test_the_armed_repository_does_run_its_program(folder: Path, text: str) -> None:
    assert not matches(_rule(text), "run_command", {"command": text})
    with _running(folder, text) as command:
        # Some of them wait for words of the hostile program that never come.
        until = time.monotonic() + PATIENCE
        while not (folder / "new.txt").exists() and time.monotonic() < until:
            ended = command.poll() is not None
            time.sleep(0.01)
            assert not ended or (folder / "new.txt").exists()
    assert (folder / "new.txt").exists()


def test_no_rule_lets_a_program_through_that_may_write(folder: Path) -> None:
    chance = random.Random(SEED)
    for program in sorted(_OTHERS):
        for _ in range(50):
            text = _command(program, chance)
            assert not matches(_rule(text), "run_command", {"command": text})


def test_the_shell_of_these_tests_does_write(folder: Path) -> None:
    before = _state(folder)
    _run_all(folder, ["sort -o new.txt a.txt"])
    assert _state(folder) != before


_PACKAGES = {
    "tree": "tree",
    "rg": "ripgrep",
    "file": "file",
    "free": "procps",
    "uptime": "procps",
    "column": "bsdextrautils",
    "rev": "bsdextrautils",
    "git": "git",
}
"""The packages of Debian that have the programs which not every machine has."""

_BEHIND = (
    "a.txt",
    "a.txt new.txt",
    "x new.txt",
    "x a.txt",
    "-o new.txt a.txt",
    "--output=new.txt",
    "-fprint new.txt",
    "-- . -exec ./run '{}' +",
    "-- . -fprintf new.txt x",
    "-- . -fprint new.txt",
    "-- . -delete",
    "-- -o new.txt",
    "-- --output=new.txt a.txt",
    "-- a.txt new.txt",
)
"""Words behind a form that would write, run or delete if they were taken for options."""


_BEHIND_AN_OPTION = 2
"""Sets of words that are run behind each form of one option, beside the form alone.

The thorough run takes all of them, here and behind pairs.
"""
_AT_ONCE = 2_000
"""Commands that one shell runs."""
_BEHIND_A_PAIR = {True: 5, False: 1}
"""Sets of words that are run behind a pair of letters: one that takes a value, and any other."""


def _options_of(forms: ReadingForms) -> Iterator[str]:
    """Every option of the table in every way in which it could be written, and no option."""
    yield ""
    for option in sorted(forms.flags | forms.values):
        dash = "-" if len(option) == 1 or forms.long_words else "--"
        yield f"{dash}{option}"
        for value in ("1", "new.txt"):
            yield f"{dash}{option} {value}"
            yield f"{dash}{option}{value}"
            yield f"{dash}{option}={value}"
        yield f"{dash}{option}=./run"
        yield f"{dash}{option} ./run"


def _pairs_of(forms: ReadingForms) -> Iterator[str]:
    """Every pair of letters of the table, and its letters with some that write in many programs."""
    letters = sorted(one for one in forms.flags | forms.values if len(one) == 1)
    for first in letters:
        for second in (*letters, *"oOfRTwC1"):
            yield f"-{first}{second}"


def _allowed_forms(program: str) -> Iterator[str]:
    """What the table lets through of them, with words behind that may do harm."""
    reader = READERS[program]
    starts = {f"{program} {name}": forms for name, forms in reader.subcommands.items()}
    for start, forms in (starts or {program: reader}).items():
        for form in dict.fromkeys(_options_of(forms)):
            yield from _with_words_behind(f"{start} {form}".strip(), _BEHIND_AN_OPTION, alone=True)
        for pair in dict.fromkeys(_pairs_of(forms)):
            most = _BEHIND_A_PAIR[not forms.values.isdisjoint(pair)]
            yield from _with_words_behind(f"{start} {pair}", most, alone=False)


def _with_words_behind(form: str, most: int, *, alone: bool) -> list[str]:
    allowed = [text for words in _BEHIND if _only_reads(text := f"{form} {words}")]
    if not THOROUGH:
        allowed = random.Random(form).sample(allowed, min(most, len(allowed)))
    return [*([form] if (alone or THOROUGH) and _only_reads(form) else []), *allowed]


def _only_reads(text: str) -> bool:
    words = parse_simple(text)
    return words is not None and only_reads(words)


@pytest.mark.parametrize("program", READERS)
def test_no_form_of_the_table_changes_anything_in_the_real_program(
    folder: Path, program: str
) -> None:
    allowed = list(dict.fromkeys(_allowed_forms(program)))
    assert allowed
    if shutil.which(program, path=environment_of("ls", folder)["PATH"]) is None:
        missing(f"{program} is not installed", f"apt-get install {_PACKAGES.get(program, program)}")
    outside = folder.parent / "outside"
    outside.mkdir()
    (outside / "a.txt").write_text("1 one\n")
    before = _state(folder.parent)
    for at in range(0, len(allowed), _AT_ONCE):
        _run_all(folder, allowed[at : at + _AT_ONCE])
    after = dict(_state(folder.parent))
    del after["commands.sh"]
    assert after == before


@contextmanager
def _running(folder: Path, command: str) -> "Iterator[subprocess.Popen[bytes]]":
    """Starts a command as the tool would, and ends it with all that it has started."""
    silent = f"{command} </dev/null >/dev/null 2>&1"
    environ = environment_of(command, folder)
    with subprocess.Popen(["bash", "-c", silent], cwd=folder, env=environ, process_group=0) as one:
        try:
            yield one
        finally:
            with suppress(ProcessLookupError):
                os.killpg(one.pid, signal.SIGKILL)


def _run_all(folder: Path, commands: list[str]) -> None:
    """Runs them one after another in one shell, as the tool would: no input, few variables."""
    script = "\n".join(f"{c} </dev/null >/dev/null 2>&1" for c in commands)
    environ = environment_of(commands[0], folder)
    assert all(environment_of(command, folder) == environ for command in commands)
    file = folder.parent / "commands.sh"
    file.write_text(script)
    subprocess.run(["bash", file], cwd=folder, env=environ, check=False, timeout=PATIENCE)
