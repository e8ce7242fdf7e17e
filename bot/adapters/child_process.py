"""Processes in sessions of their own: how each is started, and one that gives a single answer."""

import asyncio
import os
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path

from bot.adapters.to_its_end import to_its_end


def environment_of(own: Mapping[str, str], passed_on: Sequence[str] = ()) -> Mapping[str, str]:
    """Returns an environment that shares nothing with ours but the variables `passed_on`."""
    known = {name: os.environ[name] for name in passed_on if name in os.environ}
    path = os.pathsep.join(filter(None, sys.path))
    return {"PYTHONPATH": path, "LANG": "C.UTF-8", **known, **own}


async def _kept(process: Process) -> None:
    """Leaves a process to whoever else can end it."""


async def started(
    command: Sequence[str],
    folder: str | Path,
    environment: Mapping[str, str],
    *,
    pipes: tuple[int, int, int] = (PIPE, PIPE, DEVNULL),
    descriptors: Sequence[int] = (),
    limit: int = 1 << 16,
    ended: Callable[[Process], Awaitable[None]] = _kept,
) -> Process:
    """Starts a program in a session of its own; after a cancel meanwhile it has been `ended`.

    `pipes` are its input, output and errors; `limit` are the bytes of a line of its output. Raises
    OSError when it cannot be started.
    """
    start = asyncio.ensure_future(
        asyncio.create_subprocess_exec(
            *command,
            cwd=folder,
            env=environment,
            stdin=pipes[0],
            stdout=pipes[1],
            stderr=pipes[2],
            limit=limit,
            pass_fds=descriptors,
            start_new_session=True,
        )
    )
    try:
        return await to_its_end(start)
    except asyncio.CancelledError:
        if start.exception() is None:
            await ended(start.result())
        raise


async def killed(process: Process) -> None:
    """Ends a process at once, and waits for its end."""
    if process.returncode is None:
        process.kill()
        await process.wait()


async def answer_of(
    module: str,
    *arguments: str,
    asked: bytes = b"",
    environment: Mapping[str, str] | None = None,
    descriptors: Sequence[int] = (),
) -> tuple[int, bytes]:
    """Runs a module in a session of its own; returns its exit code and what it has printed.

    `asked` is its input, and the code is negative for a signal. The child bounds itself, by
    `process_bounds`; the caller bounds the time. Raises OSError when it cannot be started.
    """
    command = (sys.executable, "-P", "-m", module, *arguments)
    process = await started(
        command, "/", environment or environment_of({}), descriptors=descriptors, ended=killed
    )
    try:
        printed, _ = await process.communicate(asked)
    finally:
        await killed(process)
    return process.returncode or 0, printed
