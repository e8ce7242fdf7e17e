"""One process for one folder, by a lock that dies with its process."""

import fcntl
import os
import resource
import signal
import subprocess
import sys
from io import TextIOWrapper
from pathlib import Path

import pytest

from bot.adapters.lanes.folder_lock import FolderLock
from bot.domain.talk.errors import SettingError, StoreUnwritable

HOLDER = """
import sys
from pathlib import Path
from bot.adapters.lanes.folder_lock import FolderLock
with FolderLock(Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.read()
"""


def hold(folder: Path) -> subprocess.Popen[str]:
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(folder)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=Path(__file__).parents[3],
    )
    assert holder.stdout is not None
    assert holder.stdout.readline() == "held\n"
    return holder


def test_a_second_process_is_told_who_holds_the_folder(tmp_path: Path) -> None:
    with hold(tmp_path) as holder:
        with pytest.raises(SettingError, match=f"process {holder.pid}. Talk to it with"):
            FolderLock(tmp_path).__enter__()
        holder.communicate()
    with FolderLock(tmp_path):
        assert (tmp_path / "lock").read_text() == f"{os.getpid()}\n"


def test_a_killed_process_holds_nothing(tmp_path: Path) -> None:
    with hold(tmp_path) as holder:
        holder.send_signal(signal.SIGKILL)
        holder.wait()
    with FolderLock(tmp_path):
        pass


def test_the_folder_is_made_for_its_user_alone(tmp_path: Path) -> None:
    with FolderLock(tmp_path / "a" / "b"):
        assert (tmp_path / "a" / "b").stat().st_mode & 0o077 == 0


def test_a_passing_lock_leaves_only_what_was_there(tmp_path: Path) -> None:
    home = tmp_path / "a" / "b"
    with FolderLock(home, passing=True):
        assert home.is_dir()
    assert list(tmp_path.iterdir()) == []
    with FolderLock(home, passing=True):
        (home / "steward.db").touch()
    assert [one.name for one in home.iterdir()] == ["steward.db"]
    with FolderLock(home):
        pass
    with FolderLock(home, passing=True):
        pass
    assert (home / "lock").exists()


def test_a_lock_that_was_taken_away_meanwhile_is_made_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its holder ends between the moment it is opened here and the moment it is locked."""
    holder, locked = FolderLock(tmp_path, passing=True), fcntl.flock
    holder.__enter__()

    def late(file: TextIOWrapper, how: int) -> None:
        holder.__exit__()
        locked(file, how)

    monkeypatch.setattr(fcntl, "flock", late)
    with FolderLock(tmp_path):
        assert (tmp_path / "lock").read_text() == f"{os.getpid()}\n"


def test_leaving_frees_the_folder_within_the_process_too(tmp_path: Path) -> None:
    lock = FolderLock(tmp_path)
    with lock, pytest.raises(SettingError, match=f"process {os.getpid()}"):
        FolderLock(tmp_path).__enter__()
    with lock:
        pass
    assert (tmp_path / "lock").read_text() == ""


def test_a_folder_in_which_nothing_can_be_written_is_told(tmp_path: Path) -> None:
    bounds = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, bounds[1]))
    try:
        with pytest.raises(StoreUnwritable, match=r"File too large\. Make room on the disk of"):
            FolderLock(tmp_path).__enter__()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, bounds)
    with FolderLock(tmp_path):
        pass


def test_a_folder_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(SettingError, match="STEWARD_HOME cannot be"):
        FolderLock(tmp_path / "file").__enter__()
