"""Runs one program, and ends it together with every process it started."""

import asyncio
import contextlib
import os
import secrets
import signal
import time
from asyncio.subprocess import DEVNULL
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

from bot.adapters.child_process import started
from bot.adapters.tools.thread_work import in_thread
from bot.domain.value import frozen

HEAD = 500_000
TAIL = 500_000
"""Bytes that are kept at the beginning and at the end of an output."""

_GRACE = 0.5
_DRAIN = 0.2
_PAUSES = (0.0, 0.0, 0.0, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.2)
_MARK = "STEWARD_RUN"
_TICKS = os.sysconf("SC_CLK_TCK")
_SINCE_BOOT = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)
"""The clock of /proc; systems without /proc do not have the first name either."""


@frozen
class CommandRun:
    """The end of a program: its output, its exit code, and whether its time ran out.

    `left_out` counts the bytes missing in the middle of a long output. An exit code above 128 gives
    the signal, as in a shell.
    """

    output: str
    exit_code: int
    timed_out: bool = False
    left_out: int = 0


async def run_command_line(
    arguments: Sequence[str],
    folder: Path,
    environment: Mapping[str, str],
    seconds: float,
    *,
    walled: bool = False,
) -> CommandRun:
    """Runs a program in its own session without input; ends all of it if we fail or are cancelled.

    With `walled` its descendants end when the program ends by itself. Raises OSError when the
    program cannot be started.
    """
    mark = _Mark()
    output = _Output()
    async with _started(arguments, folder, environment, mark, output) as process:
        timed_out = False
        try:
            async with asyncio.timeout(seconds):
                await process.wait()
        except TimeoutError:
            timed_out = True
        finally:
            if not walled or process.returncode is None:
                await _end(process, mark)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_DRAIN):
                await output.closed.wait()
    code = process.returncode or 0
    return CommandRun(output.text(), code if code >= 0 else 128 - code, timed_out, output.left_out)


class _Mark:
    """A value in the environment of a program and its descendants, by which they are found."""

    def __init__(self) -> None:
        self.word = secrets.token_hex(16)
        self._made = int(time.clock_gettime(_SINCE_BOOT) * _TICKS)

    def end_bearers(self) -> None:
        """Kills until no process is left; the pauses let a starting process appear."""
        for pause in _PAUSES:
            if self._kill() == 0:
                return
            time.sleep(pause)

    def _kill(self) -> int:
        """Kills processes with the mark; returns the number of killed and undecided processes.

        A process that is turning into another program shows no environment for a moment.
        """
        sought = f"{_MARK}={self.word}".encode()
        found = 0
        for entry in Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                environment = (entry / "environ").read_bytes()
                if sought in environment.split(b"\0"):
                    os.kill(int(entry.name), signal.SIGKILL)
                    found += 1
                elif not environment and self._is_younger(entry):
                    found += 1
        return found

    def _is_younger(self, entry: Path) -> bool:
        """Returns True for a running process that began after the mark was made."""
        after_name = (entry / "stat").read_text().rpartition(")")[2].split()
        return after_name[0] not in "ZX" and int(after_name[19]) >= self._made


class _Output(asyncio.Protocol):
    """Reads a pipe and keeps the beginning and the end of the output."""

    def __init__(self) -> None:
        self.closed = asyncio.Event()
        self.left_out = 0
        self._head = bytearray()
        self._tail = bytearray()

    def data_received(self, data: bytes) -> None:
        room = HEAD - len(self._head)
        self._head += data[:room]
        self._tail += data[room:]
        surplus = len(self._tail) - TAIL
        if surplus > TAIL:
            self._forget(surplus)

    def connection_lost(self, exc: Exception | None) -> None:
        self.closed.set()

    def text(self) -> str:
        self._forget(len(self._tail) - TAIL)
        tail = self._tail.decode(errors="replace")
        if not self.left_out:
            return (self._head + self._tail).decode(errors="replace")
        head = self._head.decode(errors="replace")
        return f"{head}\n[… {self.left_out} bytes left out …]\n{tail}"

    def _forget(self, count: int) -> None:
        if count > 0:
            del self._tail[:count]
            self.left_out += count


@contextlib.asynccontextmanager
async def _started(
    arguments: Sequence[str],
    folder: Path,
    environment: Mapping[str, str],
    mark: _Mark,
    output: _Output,
):
    """Starts the program with our own pipe, which a leftover child may keep open."""
    reading, writing = os.pipe()
    loop = asyncio.get_running_loop()
    try:
        transport, _ = await loop.connect_read_pipe(lambda: output, os.fdopen(reading, "rb", 0))
        try:
            process = await _spawned(arguments, folder, environment, mark, writing)
        except BaseException:
            transport.close()
            raise
    finally:
        os.close(writing)
    try:
        yield process
    finally:
        transport.close()


async def _spawned(
    arguments: Sequence[str],
    folder: Path,
    environment: Mapping[str, str],
    mark: _Mark,
    writing: int,
) -> asyncio.subprocess.Process:
    """Starts the program; if cancelled meanwhile, ends the started process."""
    marked = {**environment, _MARK: mark.word}
    pipes, ended = (DEVNULL, writing, writing), partial(_end, mark=mark)
    return await started(arguments, folder, marked, pipes=pipes, ended=ended)


async def _end(process: asyncio.subprocess.Process, mark: _Mark) -> None:
    """Ends the program's session, politely first and then by force, and descendants outside of it.

    A descendant in a session of its own is found by the mark in its environment. Without a sandbox,
    a descendant that has also changed its environment escapes. In a sandbox none escapes: its
    processes die with the first of them. That first process carries the mark too, because a sandbox
    that is still being set up does not die with us yet.
    """
    try:
        if process.returncode is None:
            _signal_group(process.pid, signal.SIGTERM)
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(_GRACE):
                    await process.wait()
    finally:
        _signal_group(process.pid, signal.SIGKILL)
        await in_thread(lambda _: mark.end_bearers())
    await process.wait()


def _signal_group(group: int, number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, number)
