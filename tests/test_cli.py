"""The commands: what they start, what they print, and how they end."""

import logging
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import pexpect
import pytest

from bot.bootstrap.program import unserved
from bot.cli import Program, run
from bot.doctor import Check, Checkup, Finding, examine
from bot.domain.money.provider import ProviderSpec
from bot.domain.plans.template import Template
from bot.domain.skills.skill import SkillSet
from bot.domain.talk.errors import SettingError, StoreTooNew
from bot.logs import Secrets
from bot.ports.templates import Broken
from bot.settings import Settings
from bot.settings.whereabouts import KnownFolders
from bot.setup import Probes
from tests.fakes.clock import FakeClock
from tests.patience import PATIENCE
from tests.words import SETUP_HINT

TOKEN = "123456:AAcanary_token-0123456789abcdefghijk"
ROOT = Path(__file__).parents[1]


@pytest.fixture(autouse=True)
def _restored() -> Iterator[None]:
    root = logging.getLogger()
    before, level = root.handlers[:], root.level
    yield
    root.handlers[:] = before
    root.setLevel(level)


class Office:
    """A program whose parts only note that they were started."""

    def __init__(self, fault: Exception | None = None) -> None:
        self.fault = fault
        self.started: list[str] = []

    async def serve(self, settings: Settings) -> int:
        self.started.append("serve")
        if self.fault:
            raise self.fault
        logging.getLogger("bot.test").info("https://host/bot%s/getMe", TOKEN)
        return 0

    async def chat(
        self, settings: Settings, *, folder: Path | None = None, beside: str = ""
    ) -> int:
        self.started.append("chat")
        return 0

    async def ask(
        self,
        settings: Settings,
        words: str,
        *,
        folder: Path | None = None,
        yes_to: Sequence[str] = (),
        piped: bytes = b"",
        as_json: bool = False,
    ) -> int:
        self.started.append(f"ask {words} {piped.decode()} {as_json}")
        return 5

    async def examined(self, settings: Settings, folder: Path) -> Sequence[Finding]:
        checks = [Check("database", self._database, "Look at it.")]
        checkup = Checkup(checks, no_skills, no_templates)
        return await examine(settings, checkup, FakeClock(datetime(2100, 1, 1, tzinfo=UTC)), folder)

    async def _database(self) -> str:
        if self.fault:
            raise self.fault
        return "fine"

    def program(self, environ: Mapping[str, str], folder: Path) -> Program:
        return Program(
            self.serve,
            self.chat,
            self.ask,
            self.examined,
            unserved,
            Secrets(),
            environ,
            folder,
            Probes(untried, untried, untried, untried, unlisted, untried),
        )


async def untried(settings: Settings) -> str:
    raise AssertionError("nothing is tried here")


async def unlisted(settings: Settings, spec: ProviderSpec) -> Sequence[str]:
    raise AssertionError("nothing is tried here")


async def no_skills() -> SkillSet:
    return SkillSet()


async def no_templates() -> Sequence[Template | Broken]:
    return ()


@dataclass(frozen=True)
class Ended:
    """The end of a command line."""

    code: int
    out: str
    err: str


class Shell:
    """Runs command lines in a folder, with nobody at a terminal."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.folder = folder
        self.capsys = capsys

    def run(self, office: Office, *arguments: str, **environ: str) -> Ended:
        code = run(office.program(environ, self.folder), arguments)
        printed = self.capsys.readouterr()
        return Ended(code, printed.out, printed.err)


@pytest.fixture
def shell(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Shell:
    return Shell(tmp_path, capsys)


def test_run_serves_when_there_is_a_token(shell: Shell) -> None:
    office = Office()
    result = shell.run(office, "run", TELEGRAM_BOT_TOKEN=TOKEN, STEWARD_WINDOW_PORT="1")
    assert (result.code, office.started) == (0, ["serve"])
    assert "STEWARD_WINDOW_PORT (environment) is no setting" in result.err
    assert "[secret]" in result.err
    assert "canary" not in result.out + result.err


def test_run_without_token_and_terminal_says_so_in_one_line(shell: Shell) -> None:
    office = Office()
    result = shell.run(office, "run", STEWARD_WEB_PORT="0")
    assert (result.code, office.started, result.out) == (2, [], "")
    assert result.err.count("\n") == 1
    assert "TELEGRAM_BOT_TOKEN" in result.err
    assert "terminal" in result.err


def test_chat_without_a_terminal_says_so_in_one_line(shell: Shell) -> None:
    result = shell.run(Office(), "chat", TELEGRAM_BOT_TOKEN=TOKEN)
    assert result.code == 2
    assert result.err.startswith("steward: There is no terminal to chat in. ")
    assert 'steward ask "' in result.err
    assert result.err.count("\n") == 1


def test_setup_without_a_terminal_says_what_to_do(shell: Shell) -> None:
    result = shell.run(Office(), "setup")
    assert (result.code, result.out) == (2, "")
    assert result.err.count("\n") == 1
    assert ".env (make the folder first" in result.err


@pytest.mark.parametrize("command", ["run", "chat", "doctor", "config"])
def test_a_wrong_setting_is_one_sentence(shell: Shell, command: str) -> None:
    result = shell.run(Office(), command, STEWARD_SOFT_ROUNDS="many")
    assert result.code == 2
    assert result.err.startswith("steward: STEWARD_SOFT_ROUNDS (environment) cannot be “many”")
    assert result.err.count("\n") == 1


@pytest.mark.parametrize(
    "error",
    [
        StoreTooNew("upgrade\nnow"),
        SettingError(f"no {TOKEN}"),
        ExceptionGroup("side by side", [ExceptionGroup("deeper", [StoreTooNew("upgrade")])]),
    ],
)
def test_a_fault_of_our_own_is_one_sentence_without_secrets(shell: Shell, error: Exception) -> None:
    result = shell.run(Office(error), "run", TELEGRAM_BOT_TOKEN=TOKEN)
    assert result.code == 2
    assert result.err.count("\n") == 1
    assert "canary" not in result.err


@pytest.mark.parametrize(
    "error",
    [RuntimeError("a defect"), ExceptionGroup("both", [StoreTooNew("x"), RuntimeError("y")])],
)
def test_a_fault_nobody_foresaw_is_left_to_the_last_border(shell: Shell, error: Exception) -> None:
    office = Office(error)
    with pytest.raises(type(error)):
        shell.run(office, "run", TELEGRAM_BOT_TOKEN=TOKEN)


def test_config_prints_values_with_their_origin_and_masks_secrets(shell: Shell) -> None:
    result = shell.run(Office(), "config", TELEGRAM_BOT_TOKEN=TOKEN)
    assert result.code == 0
    lines = {line.split()[0]: line.split()[1:] for line in result.out.splitlines()}
    assert lines["TELEGRAM_BOT_TOKEN"] == ["…hijk", "environment"]
    assert lines["STEWARD_SOFT_ROUNDS"] == ["60", "default"]
    assert "canary" not in result.out + result.err


def test_config_explains_when_asked(shell: Shell) -> None:
    result = shell.run(Office(), "config", "--explain")
    assert "Rounds after which a turn ends in any case." in result.out


@pytest.mark.parametrize(("fault", "code"), [(None, 0), (StoreTooNew("too new"), 1)])
def test_doctor_ends_with_1_when_something_fails(
    shell: Shell, fault: Exception | None, code: int
) -> None:
    result = shell.run(Office(fault), "doctor", STEWARD_DATABASE_URL="postgresql://db/x")
    assert result.code == code
    assert ("fail" in result.out) is (fault is not None)


@pytest.mark.parametrize("arguments", [["nonsense"], ["run", "--what"]])
def test_a_wrong_command_line_ends_with_2(shell: Shell, arguments: list[str]) -> None:
    result = shell.run(Office(), *arguments)
    assert result.code == 2
    assert "Traceback" not in result.out + result.err


def test_answers_about_folders_are_told_and_taken_back(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(shell.folder / "person"))
    KnownFolders().remember("work", shell.folder / "shop", True)
    told = shell.run(Office(), "folders")
    assert (told.code, f"{shell.folder / 'shop'}  I work there: yes" in told.out) == (0, True)
    assert shell.run(Office(), "folders", "--forget", "shop").code == 0
    assert shell.run(Office(), "folders", "--forget", "shop").code == 2
    assert "no folder yet" in shell.run(Office(), "folders").out


def test_the_version_is_told(shell: Shell) -> None:
    result = shell.run(Office(), "--version")
    assert result.code == 0
    assert result.out.startswith("steward, version ")


SERVER = """
import asyncio, os, sys
from pathlib import Path
from bot.adapters.system_clock import SystemClock
from bot.adapters.terminal.terminal import Terminal
from bot.bootstrap.program import unserved
from bot.cli import Program, run
from bot.logs import Secrets

async def serve(settings):
    try:
        print("serving", flush=True)
        await asyncio.Event().wait()
    finally:
        print("closed", flush=True)

async def chat(settings, *, folder):
    async with Terminal(SystemClock()) as terminal:
        await terminal.converse(accept)
    return 0

async def accept(updates):
    raise AssertionError("nothing was said")

program = Program(serve, chat, None, None, unserved, Secrets(), os.environ, Path.cwd(), None)
sys.exit(run(program, sys.argv[1:]))
"""


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGTERM, 0), (signal.SIGINT, 130)], ids=["SIGTERM", "SIGINT"]
)
def test_a_signal_ends_serving_cleanly(tmp_path: Path, number: int, code: int) -> None:
    environ = {**os.environ, "PYTHONPATH": str(ROOT), "TELEGRAM_BOT_TOKEN": TOKEN}
    command = [sys.executable, "-c", SERVER, "run"]
    with subprocess.Popen(
        command,
        cwd=tmp_path,
        env=environ,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as server:
        assert server.stdout is not None
        assert server.stdout.readline() == "serving\n"
        server.send_signal(number)
        out, err = server.communicate(timeout=PATIENCE)
    assert (server.returncode, out, err) == (code, "closed\n", "")


HELD_UP = SERVER.replace("import asyncio, os, sys", "import asyncio, os, sys, time").replace(
    "        await asyncio.Event().wait()\n    finally:\n",
    "        await asyncio.to_thread(time.sleep, 3600)\n    finally:\n",
)
"""A thread, which nobody can cancel, keeps the process for an hour."""


def test_a_process_that_is_held_up_ends_all_the_same_after_a_while(tmp_path: Path) -> None:
    environ = {**os.environ, "PYTHONPATH": str(ROOT), "TELEGRAM_BOT_TOKEN": TOKEN}
    with subprocess.Popen(
        [sys.executable, "-c", HELD_UP, "run"],
        cwd=tmp_path,
        env=environ,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as server:
        assert server.stdout is not None
        assert server.stdout.readline() == "serving\n"
        server.send_signal(signal.SIGTERM)
        out, _ = server.communicate(timeout=PATIENCE)
    assert (server.returncode, out) == (0, "closed\n")


def test_run_without_a_token_says_what_is_missing_and_chats(tmp_path: Path) -> None:
    environ = {**os.environ, "PYTHONPATH": str(ROOT), "TERM": "xterm", "STEWARD_X": "1"}
    environ["STEWARD_HOME"] = "data"
    # It would stand for the width of the terminal.
    environ.pop("COLUMNS", None)
    chat = pexpect.spawn(
        sys.executable,
        ["-c", SERVER, "run"],
        cwd=tmp_path,
        env=environ,
        timeout=PATIENCE,
        dimensions=(30, 40),
    )
    # The address of the page comes before anything is asked.
    chat.expect(r"No chat app is set up.*http://127\.0\.0\.1:8787\.")
    chat.expect(r"TELEGRAM_BOT_TOKEN,\s+DISCORD_BOT_TOKEN\.")
    chat.expect(SETUP_HINT.replace(" ", r"\s+"))
    chat.expect("STEWARD_X")
    chat.expect(">")
    chat.sendcontrol("d")
    chat.expect(pexpect.EOF)
    chat.close()
    assert chat.exitstatus == 0
    assert (tmp_path / "data").stat().st_mode & 0o077 == 0
