"""Two ways to start the program as a process of its own: anew, or forked from one that has it."""

import asyncio
import json
import os
import shlex
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Protocol

from tests.e2e.fork_server import READY

ROOT = Path(__file__).resolve().parents[2]
_LOAD_SECONDS = 60
_END_SECONDS = 10


class Process(Protocol):
    """A started program, as asyncio shows its own."""

    @property
    def pid(self) -> int: ...

    @property
    def returncode(self) -> int | None:
        """The exit code; negative for a signal, and None as long as the process runs."""
        ...

    async def wait(self) -> int: ...

    def terminate(self) -> None: ...

    def kill(self) -> None: ...


@dataclass(frozen=True, slots=True)
class Start:
    """A program as after `python -m`, and all that surrounds it."""

    arguments: tuple[str, ...]
    environment: Mapping[str, str]
    folder: Path
    module: str = "bot"


class Launch(Protocol):
    """Starts a program; its standard output and standard error go to `output`."""

    async def __call__(self, start: Start, output: IO[bytes]) -> Process: ...


class Command(Protocol):
    """Makes the command that runs the program with these arguments."""

    def __call__(self, *arguments: str) -> list[str]: ...


def anew(*arguments: str) -> list[str]:
    """A new interpreter, which imports everything."""
    return [sys.executable, "-m", "bot", *arguments]


async def launch_anew(start: Start, output: IO[bytes]) -> Process:
    """A new interpreter, which imports everything: for tests whose subject is the start."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", start.module, *start.arguments),
        cwd=start.folder,
        env=start.environment,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=output,
        stderr=output,
    )
    return _Anew(process)


@dataclass(frozen=True, slots=True)
class _Anew:
    _process: asyncio.subprocess.Process

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def returncode(self) -> int | None:
        return self._process.returncode

    async def wait(self) -> int:
        return await self._process.wait()

    def terminate(self) -> None:
        self._process.terminate()

    def kill(self) -> None:
        self._process.kill()


class _Forked:
    def __init__(
        self, pid: int, news: asyncio.StreamReader, connection: asyncio.StreamWriter
    ) -> None:
        self.pid = pid
        self.returncode: int | None = None
        self._end = asyncio.create_task(self._listen(news, connection), name=f"end of {pid}")

    async def _listen(self, news: asyncio.StreamReader, connection: asyncio.StreamWriter) -> int:
        try:
            self.returncode = int(await news.readline())
        finally:
            connection.close()
        return self.returncode

    async def wait(self) -> int:
        return await asyncio.shield(self._end)

    def terminate(self) -> None:
        self._send(signal.SIGTERM)

    def kill(self) -> None:
        self._send(signal.SIGKILL)

    def _send(self, number: signal.Signals) -> None:
        if self.returncode is not None:
            raise ProcessLookupError
        os.kill(self.pid, number)


class ForkServer:
    """The near end of `fork_server.py`, whose door is a socket in the file system."""

    def __init__(self, door: Path, nothing: int) -> None:
        """Children that nobody talks to read from the descriptor `nothing`."""
        self._door = str(door)
        self._nothing = nothing
        forked = str(ROOT / "tests/e2e/forked.py")
        self._stand_in = [sys.executable, "-I", "-S", forked, self._door]

    def command(self, *arguments: str, module: str = "bot") -> list[str]:
        """Returns the command that runs a module with these arguments, in a forked process."""
        return [*self._stand_in, module, *arguments]

    def interpreter(self, file: Path, module: str) -> str:
        """Writes a file that does what our interpreter does, but forks this module."""
        lines = (
            "#!/bin/sh",
            f'if [ "$1 $2 $3" = "-P -m {module}" ]; then',
            "    shift 2",
            f'    exec {shlex.join(self._stand_in)} "$@"',
            "fi",
            f'exec {shlex.quote(sys.executable)} "$@"',
        )
        file.write_text("\n".join(lines) + "\n")
        file.chmod(0o700)
        return str(file)

    async def launch(self, start: Start, output: IO[bytes]) -> Process:
        return await self._ordered(start, output, rehearsal=False)

    async def rehearse(self, start: Start, output: IO[bytes]) -> Process:
        """Has the server itself run the program, before it forks anyone."""
        return await self._ordered(start, output, rehearsal=True)

    async def _ordered(self, start: Start, output: IO[bytes], *, rehearsal: bool) -> Process:
        order = {
            "module": start.module,
            "arguments": start.arguments,
            "environment": dict(start.environment),
            "folder": str(start.folder),
            "rehearsal": rehearsal,
        }
        server = socket.socket(socket.AF_UNIX)
        server.connect(self._door)
        streams = [self._nothing, output.fileno(), output.fileno()]
        socket.send_fds(server, [json.dumps(order).encode() + b"\n"], streams)
        news, connection = await asyncio.open_unix_connection(sock=server)
        try:
            pid = int(await news.readline())
        except BaseException:
            connection.close()
            raise
        return _Forked(pid, news, connection)


@contextmanager
def fork_server(*modules: str) -> Iterator[ForkServer]:
    """Starts the server, which loads the modules once, or else the program, and ends it."""
    ours, theirs = socket.socketpair()
    with ours, theirs, tempfile.TemporaryDirectory(prefix="steward-") as folder:
        door = Path(folder) / "door"
        server = subprocess.Popen(
            [
                *(sys.executable, "-m", "tests.e2e.fork_server", str(theirs.fileno()), str(door)),
                *modules,
            ],
            cwd=ROOT,
            # What an interpreter reads when it starts is the same for every child.
            # A fork copies one thread: numpy's own would be lost.
            env=surroundings() | {"OPENBLAS_NUM_THREADS": "1"},
            stdin=subprocess.DEVNULL,
            pass_fds=[theirs.fileno()],
            start_new_session=True,
        )
        theirs.close()
        try:
            # Loading takes seconds, which no start of a test is charged with.
            ours.settimeout(_LOAD_SECONDS)
            assert ours.recv(len(READY)) == READY, "the fork server failed"
            ours.settimeout(None)
            with Path(os.devnull).open("rb") as nothing:
                yield ForkServer(door, nothing.fileno())
        finally:
            ours.close()
            assert server.wait(_END_SECONDS) == 0, "the fork server failed"


def surroundings(folder: Path | None = None) -> dict[str, str]:
    """The environment that every start has: what the interpreter needs, and a home of the test.

    With a folder the home is below it, and the files of settings in it count. The page is off:
    two programs would want its port.
    """
    return {
        "STEWARD_HOME": "data" if folder is None else str(folder / "data"),
        "PATH": os.environ["PATH"],
        "PYTHONPATH": str(ROOT),
        "LANG": "C.UTF-8",
        "NO_PROXY": "127.0.0.1,localhost",
        "STEWARD_WEB_PORT": "0",
    }
