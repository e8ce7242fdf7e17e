"""A process of the program's own that gives one answer, and is gone then, whatever happens."""

import asyncio
import os
import sys
from collections.abc import Mapping, Sequence


def environment_of(own: Mapping[str, str], passed_on: Sequence[str] = ()) -> Mapping[str, str]:
    """Returns an environment that shares nothing with ours but the variables `passed_on`."""
    known = {name: os.environ[name] for name in passed_on if name in os.environ}
    path = os.pathsep.join(filter(None, sys.path))
    return {"PYTHONPATH": path, "LANG": "C.UTF-8", **known, **own}


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
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-P", "-m", module),
        *arguments,
        cwd="/",
        env=environment or environment_of({}),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        pass_fds=descriptors,
        start_new_session=True,
    )
    try:
        printed, _ = await process.communicate(asked)
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    return process.returncode or 0, printed
