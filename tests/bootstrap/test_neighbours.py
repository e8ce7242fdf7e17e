"""A Steward that another user of the machine runs."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from bot.bootstrap.neighbours import told_of_neighbour
from tests.lacking import skip

_NOBODY = 65534
_SHELL = "/bin/sh"


@contextmanager
def running(*words: str, user: int | None = None) -> Iterator[None]:
    """A process with these words, which waits until its input ends."""
    process = subprocess.Popen(
        words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, user=user, cwd="/"
    )
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == b"up\n"
        yield
    finally:
        process.communicate()


@pytest.fixture
def program() -> Iterator[Path]:
    """A program of the name that everybody may run."""
    folder = Path("/tmp") / f"steward-neighbour-{os.getpid()}"
    folder.mkdir(mode=0o755)
    script = folder / "steward"
    script.write_text("echo up\nread line\n")
    yield script
    shutil.rmtree(folder)


def test_a_service_of_another_user_is_told_of(program: Path) -> None:
    if os.geteuid() != 0 or not Path("/proc/self/cmdline").exists():
        skip("no right to run a process as another user", "run the tests as root")
    with running(_SHELL, str(program), "chat", user=_NOBODY):
        assert told_of_neighbour() == ""
    with running(_SHELL, str(program), "run", user=_NOBODY):
        told = told_of_neighbour()
    assert "sudo -iu nobody steward chat" in told
    assert told_of_neighbour() == ""


def test_a_service_of_ones_own_has_a_door_and_is_not_told_of(program: Path) -> None:
    with running(_SHELL, str(program), "run"):
        assert told_of_neighbour() == ""


def test_where_the_system_tells_nothing_nothing_is_told(tmp_path: Path) -> None:
    (tmp_path / "17").mkdir()
    assert told_of_neighbour(tmp_path) == told_of_neighbour(tmp_path / "nowhere") == ""
