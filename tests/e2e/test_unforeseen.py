"""What a person sees of a fault that nobody foresaw, and signals that come while a start loads."""

import subprocess
import sys
from pathlib import Path

from tests.e2e.launching import ROOT, surroundings
from tests.words import UNFORESEEN


def _ended(home: Path, *words: str, **more: str) -> tuple[int, str]:
    command = [sys.executable, "-m", "tests.e2e.failing_program", *words]
    environ = surroundings(home) | {"PYTHONPATH": str(ROOT), "TELEGRAM_BOT_TOKEN": "1:a"} | more
    done = subprocess.run(
        command, cwd=home, env=environ, capture_output=True, text=True, check=False
    )
    return done.returncode, done.stderr


def test_a_fault_of_a_command_is_one_sentence_and_its_trace_stands_in_the_log(
    tmp_path: Path,
) -> None:
    code, told = _ended(tmp_path, "ask", "Hello?")
    assert (code, told.count("\n")) == (70, 1)
    assert told.startswith(f"steward: {UNFORESEEN}")
    log = tmp_path / "data" / "chat.log"
    assert f"it is in {log}." in told
    assert "a channel that nobody serves" in log.read_text()


def test_a_fault_of_a_service_is_one_sentence_above_its_trace(tmp_path: Path) -> None:
    code, told = _ended(tmp_path, "run")
    assert code == 70
    assert told.index(UNFORESEEN) < told.index("it is below.") < told.index("Traceback")


def test_a_start_that_is_hung_up_on_while_it_loads_ends_as_asked(tmp_path: Path) -> None:
    assert _ended(tmp_path, "run", FAILING_HANGS_UP="1") == (0, "")
