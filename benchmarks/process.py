"""A started program, measured by the kernel: its processor time and its memory."""

import asyncio
import os
import sys
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import psutil

ROOT = Path(__file__).resolve().parents[1]

_ENDING_SECONDS = 10.0
_LOOK_SECONDS = 0.01
_REST_SHARE = 0.01
_RESTING_LOOKS = 3
_LONGEST_UNREST = 1_000


class MeasuredProcess:
    """One running process; `started` is its start in seconds of the wall clock."""

    def __init__(self, pid: int, started: float) -> None:
        self.pid = pid
        self._process = psutil.Process(pid)
        # The id of the clock for another process's processor time, as clock_getcpuclockid makes
        # it. /proc counts in hundredths of a second, which is as long as a whole turn.
        self._cpu_clock = (~pid << 3) | 2
        self.started = started

    def cpu_ms(self) -> float:
        """Returns the processor time so far in milliseconds, of user and kernel mode."""
        return time.clock_gettime(self._cpu_clock) * 1000

    async def cost(self, action: Callable[[], Awaitable[object]]) -> float:
        """Returns the processor time of an action in ms, with the work after it."""
        await self.at_rest()
        before = self.cpu_ms()
        await action()
        await self.at_rest()
        return self.cpu_ms() - before

    def resident_mb(self) -> float:
        return self._process.memory_info().rss / 1e6

    def peak_mb(self) -> float:
        """Returns the largest resident size so far."""
        status = Path(f"/proc/{self._process.pid}/status").read_text()
        held = next(line for line in status.splitlines() if line.startswith("VmHWM"))
        return int(held.split()[1]) * 1024 / 1e6

    async def at_rest(self, looks: int = _RESTING_LOOKS) -> None:
        """Waits until the process was idle in `looks` looks in a row.

        One look is not enough: on a busy machine a process may pause because others run. Raises
        TimeoutError when it is never idle.
        """
        before, idle = self.cpu_ms(), 0
        for _ in range(_LONGEST_UNREST):
            await asyncio.sleep(_LOOK_SECONDS)
            now = self.cpu_ms()
            resting = now - before < _LOOK_SECONDS * 1000 * _REST_SHARE
            idle = idle + 1 if resting else 0
            if idle == looks:
                return
            before = now
        raise TimeoutError("the process never came to rest")


@asynccontextmanager
async def started(
    arguments: Sequence[str], folder: Path, environment: Mapping[str, str]
) -> AsyncGenerator[MeasuredProcess]:
    """Runs `python -m <arguments>` in a folder, with its log there; leaving ends it."""
    surroundings = {
        "PATH": os.environ.get("PATH", ""),
        "PYTHONPATH": str(ROOT),
        "NO_PROXY": "*",
        # Several programs are measured at once, and two would want its port.
        "STEWARD_WEB_PORT": "0",
        **environment,
    }
    with (folder / "log").open("ab") as log:
        begun = time.time()
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", *arguments, cwd=folder, env=surroundings, stdout=log, stderr=log
        )
    try:
        yield MeasuredProcess(process.pid, begun)
    except TimeoutError as error:
        error.add_note(f"{arguments[0]}: {_last_words(folder / 'log')}")
        raise
    finally:
        await _end(process)


async def _end(process: asyncio.subprocess.Process) -> None:
    if process.returncode is None:
        process.terminate()
    try:
        async with asyncio.timeout(_ENDING_SECONDS):
            await process.wait()
    except TimeoutError:
        process.kill()
        await process.wait()


def _last_words(log: Path) -> str:
    return log.read_text(errors="replace")[-2000:]
