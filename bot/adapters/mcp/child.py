"""A server's process: lines in, lines out, and an end that leaves no child behind."""

import asyncio
import contextlib
import logging
import os
import signal
import sys
from asyncio.subprocess import PIPE
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TypeVar

from bot.adapters.child_process import started
from bot.adapters.mcp.last_words import LastWords
from bot.adapters.to_its_end import to_its_end
from bot.domain.tools.server import ServerSpec, without_secrets

T = TypeVar("T")

_LOG = logging.getLogger(__name__)

LONGEST_LINE = 4_000_000
"""Bytes of one message."""

_KEEPER = Path(__file__).with_name("keeper.py")
_GRACE = 1.0
_ENDING = 5.0
_LOGGED = 64_000
"""Bytes of a server's standard error that reach the log in one life of the server."""

_LAST_BREATH = 1.0
"""Seconds after the end of its output in which the exit code and the last words are waited for."""

_INHERITED = ("PATH", "HOME", "USER", "LOGNAME", "LANG", "LC_ALL", "TZ", "TMPDIR", "SHELL")


class Child:
    """One running server."""

    def __init__(self, spec: ServerSpec, process: asyncio.subprocess.Process) -> None:
        self._spec = spec
        self._process = process
        self._last_words = LastWords()
        self._errors_end = asyncio.Event()

    async def lines(self) -> AsyncGenerator[bytes]:
        """Yields the server's output by lines until it ends; raises ValueError for a long line."""
        output = _there(self._process.stdout)
        while line := await output.readline():
            yield line

    async def send(self, line: bytes) -> None:
        """Sends a line; raises OSError when the server no longer reads."""
        pipe = _there(self._process.stdin)
        pipe.write(line)
        await pipe.drain()

    async def listen_to_errors(self) -> None:
        """Passes standard error to the log at its lowest level, up to a bound."""
        room = _LOGGED
        errors = _there(self._process.stderr)
        while chunk := await errors.read(4096):
            text = without_secrets(chunk.decode(errors="replace"), self._spec.secrets)
            self._last_words.add(text)
            if room > 0:
                _LOG.debug("%s says: %s", self._spec.name, text[:room].rstrip())
            room -= len(text)
        self._errors_end.set()

    def ready(self) -> None:
        """Marks that it started well."""
        self._last_words.forget()

    async def last_breath(self) -> None:
        """Waits a moment for the exit code and the last words of a server that has ended."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_LAST_BREATH):
                await self._process.wait()
                await self._errors_end.wait()

    @property
    def cause(self) -> str:
        """The cause of its end, as far as it is known."""
        return self._last_words.cause(self._process.returncode)

    async def end(self, lifeline: int) -> None:
        """Closes the input, at which a good server ends; then the keeper ends it."""
        # Unread output would keep the pipe open, and we would not see the process end.
        pouring = asyncio.create_task(self._pour_away(), name=f"rest of {self._spec.name}")
        try:
            _there(self._process.stdin).close()
            await self._gone(_GRACE)
        finally:
            os.close(lifeline)
            if not await self._gone(_ENDING):
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(self._process.pid, signal.SIGKILL)
            pouring.cancel()
            await asyncio.wait({pouring})

    async def _pour_away(self) -> None:
        output = _there(self._process.stdout)
        while await output.read(1 << 16):
            pass

    async def _gone(self, seconds: float) -> bool:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._process.wait()
        return self._process.returncode is not None


@asynccontextmanager
async def running(spec: ServerSpec) -> AsyncGenerator[Child]:
    """Starts a server's program; raises OSError when it cannot be started."""
    reading, lifeline = os.pipe()
    try:
        process = await _spawned(spec, reading)
    except BaseException:
        os.close(lifeline)
        raise
    finally:
        os.close(reading)
    child = Child(spec, process)
    errors = asyncio.create_task(child.listen_to_errors(), name=f"errors of {spec.name}")
    try:
        yield child
    finally:
        try:
            await to_its_end(child.end(lifeline))
        finally:
            errors.cancel()
            await asyncio.wait({errors})


async def _spawned(spec: ServerSpec, reading: int) -> asyncio.subprocess.Process:
    """Starts the keeper; after a cancel the caller ends it by closing the lifeline."""
    keeper = (sys.executable, "-I", "-S", str(_KEEPER), str(reading))
    return await started(
        (*keeper, *spec.command),
        spec.folder,
        environment(spec, os.environ),
        pipes=(PIPE, PIPE, PIPE),
        descriptors=(reading,),
        limit=LONGEST_LINE,
    )


def environment(spec: ServerSpec, ours: Mapping[str, str]) -> dict[str, str]:
    """Returns a server's environment: the needs of any program, and its declared variables."""
    return {name: ours[name] for name in _INHERITED if name in ours} | dict(spec.env)


def _there(pipe: T | None) -> T:
    assert pipe is not None, "the process was started with pipes"
    return pipe
