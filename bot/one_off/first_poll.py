"""Starts a version of the program for real, and tells if it reaches its first poll."""

import os
import pwd
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Protocol

from bot.bootstrap.service_manager import SERVES
from bot.domain.talk.errors import SettingError
from bot.one_off.ended_command import output_of
from bot.one_off.served_process import Standing

_STOP_SECONDS = 30.0
_LAST = 400
_LOOK_SECONDS = 0.5
_SYSTEMCTL = "systemctl"


class Keeper(Protocol):
    """Starts and stops the program that serves."""

    @property
    def unit(self) -> str:
        """Returns the service that it is, if it is one."""
        ...

    def stop(self) -> None: ...

    def reached(self, wait: float) -> str:
        """Starts it; returns why it did not reach its first poll, or nothing when it did.

        `wait` are the seconds without a sign of it.
        """
        ...

    def leave(self) -> str:
        """Leaves it as an operator expects it; returns what there is to do."""
        ...


class Commands:
    """Runs commands of the program that is installed now, as the user whose home it is."""

    def __init__(self, standing: Standing) -> None:
        self._folder = standing.folder
        self._program = Path(sys.prefix) / "bin" / "steward"
        self._user: pwd.struct_passwd | None = None
        environment = dict(standing.environ)
        owner = _owner(standing.settings.home)
        if os.geteuid() == 0 and owner.pw_uid != 0:
            # Root must leave no file in the home that its user cannot change.
            self._user = owner
            environment |= {"HOME": owner.pw_dir, "USER": owner.pw_name, "LOGNAME": owner.pw_name}
        self._environment = {**environment, **standing.settings.places}

    def begun(
        self, *arguments: str, output: IO[bytes], **further: str
    ) -> "subprocess.Popen[bytes]":
        return subprocess.Popen(
            [self._program, *arguments],
            cwd=self._folder,
            env=self._environment | further,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            start_new_session=True,
            user=None if self._user is None else self._user.pw_uid,
            group=None if self._user is None else self._user.pw_gid,
            extra_groups=None if self._user is None else [],
        )

    def run(self, *arguments: str, **further: str) -> tuple[int, str]:
        """Runs a command to its end; returns its exit code and what it said."""
        with TemporaryFile() as output:
            code = self.begun(*arguments, output=output, **further).wait()
            return code, _read(output)


class ByHand:
    """A program that somebody starts by hand, or a supervisor that we do not know."""

    unit = ""

    def __init__(self, commands: Commands) -> None:
        self._commands = commands

    def stop(self) -> None:
        """Does nothing: it was ended before."""

    def reached(self, wait: float) -> str:
        with _manager() as (manager, address), TemporaryFile() as output:
            process = self._commands.begun("run", output=output, NOTIFY_SOCKET=address)
            try:
                why = _why_not(manager, process, wait)
            finally:
                _end(process)
            return f"{why} It said last: {_read(output)[-_LAST:]}" if why else ""

    def leave(self) -> str:
        return "Start it again, as you did before."


class Unit:
    """A service of systemd, which root may stop and start."""

    def __init__(self, unit: str) -> None:
        self.unit = unit

    def stop(self) -> None:
        self._control("stop")

    def reached(self, wait: float) -> str:
        self._control("start", "--no-block")
        status, since = "", time.monotonic()
        while time.monotonic() - since < wait:
            told = self._shown()
            if told.get("StatusText", "").startswith(SERVES):
                return ""
            if told.get("ActiveState") == "failed" or told.get("SubState") == "auto-restart":
                return f"It ended, with code {told.get('ExecMainStatus')}: see its log."
            if told.get("StatusText", "") != status:
                status, since = told.get("StatusText", ""), time.monotonic()
            time.sleep(_LOOK_SECONDS)
        return f"There was no sign of it for {wait:g} s."

    def leave(self) -> str:
        self._control("start")
        return f"{self.unit} was started."

    def _shown(self) -> Mapping[str, str]:
        names = "ActiveState,SubState,StatusText,ExecMainStatus"
        lines = output_of(_SYSTEMCTL, "show", f"--property={names}", self.unit).splitlines()
        return dict(line.split("=", 1) for line in lines if "=" in line)

    def _control(self, *order: str) -> None:
        output_of(_SYSTEMCTL, *order, self.unit)
        if order[0] == "stop":
            # One that has not failed has nothing to be reset.
            with suppress(SettingError):
                output_of(_SYSTEMCTL, "reset-failed", self.unit)


def keeper_of(standing: Standing, commands: Commands, stopped: str) -> Keeper:
    """Returns who starts and stops it; `stopped` is a service that an update stopped before."""
    unit = standing.unit or stopped
    return Unit(unit) if unit else ByHand(commands)


def _why_not(manager: socket.socket, process: "subprocess.Popen[bytes]", wait: float) -> str:
    manager.settimeout(_LOOK_SECONDS)
    since = time.monotonic()
    while time.monotonic() - since < wait:
        try:
            told = manager.recv(4096).decode(errors="replace")
        except TimeoutError:
            if (code := process.poll()) is not None:
                return f"It ended, with code {code}."
            continue
        since = time.monotonic()
        if told.removeprefix("STATUS=").startswith(SERVES):
            return ""
    return f"There was no sign of it for {wait:g} s."


def _end(process: "subprocess.Popen[bytes]") -> None:
    process.send_signal(signal.SIGTERM)
    try:
        process.wait(_STOP_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


@contextmanager
def _manager() -> Iterator[tuple[socket.socket, str]]:
    """Yields a socket like that of systemd, with a name that no file has."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        name = f"steward-update-{os.getpid()}-{os.urandom(8).hex()}"
        manager.bind(f"\0{name}")
        yield manager, f"@{name}"


def _owner(home: Path) -> pwd.struct_passwd:
    place = next(one for one in (home, *home.parents) if one.exists())
    return pwd.getpwuid(place.stat().st_uid)


def _read(output: IO[bytes]) -> str:
    output.seek(0)
    return " ".join(output.read().decode(errors="replace").split())
