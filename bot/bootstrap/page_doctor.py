"""Runs `steward doctor` for its page: in a process of its own, one at a time, and bounded."""

import asyncio
import json
import os
import sys
from asyncio.subprocess import DEVNULL, PIPE
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from bot.adapters.child_process import killed, started
from bot.domain.text.visible_text import one_line
from bot.domain.tools.call_words import Conceal
from bot.ports.clock import Clock
from bot.ports.doctor_page import DoctorLine, DoctorReport
from bot.shipped import command

_COMMAND = (sys.executable, "-P", "-m", "bot", "doctor", "--json")
_SECONDS = 180.0
"""Seconds of all trials together; each has fewer, and they are made side by side."""

_WAIT_SECONDS = 8.0
"""Seconds that a page waits for the report."""

_MOST, _LONGEST = 200, 1_000
"""Lines of a report, and characters of each sentence."""

_MOST_BYTES = 1 << 20
_LATE = f"It had no report within {_SECONDS:g} s, so it was ended. Run `{command('doctor')}`."
_NONE = f"It ended without a report. Run `{command('doctor')}` where Steward runs, to see why."


class PageDoctor:
    """Keeps the newest report; whoever asks while it looks waits for the same one."""

    def __init__(self, clock: Clock, conceal: Conceal) -> None:
        self._clock = clock
        self._conceal = conceal
        self._looking: asyncio.Task[None] | None = None
        self.report: DoctorReport | None = None

    @property
    def looking(self) -> bool:
        return self._looking is not None and not self._looking.done()

    async def look(self) -> None:
        if self._looking is None or self._looking.done():
            self._looking = asyncio.create_task(self._look(), name="doctor of the page")
        await asyncio.wait({self._looking}, timeout=_WAIT_SECONDS)

    async def close(self) -> None:
        if self._looking is not None:
            self._looking.cancel()
            await asyncio.gather(self._looking, return_exceptions=True)

    async def _look(self) -> None:
        try:
            async with asyncio.timeout(_SECONDS):
                lines, told = self._read(await _printed())
        except TimeoutError:
            lines, told = (), _LATE
        except (OSError, ValueError, TypeError, KeyError):
            lines, told = (), _NONE
        self.report = DoctorReport(self._clock.now(), lines, told)

    def _read(self, printed: bytes) -> tuple[tuple[DoctorLine, ...], str]:
        told: Mapping[str, Any] = json.loads(printed)
        findings: Sequence[Mapping[str, Any]] = told["findings"]
        names = ("subject", "level", "sentence", "mend")
        lines = [DoctorLine(*(self._told(one[name]) for name in names)) for one in findings[:_MOST]]
        return tuple(lines), self._told(told["next"])

    def _told(self, text: str) -> str:
        return one_line(self._conceal(text), _LONGEST)


async def _printed() -> bytes:
    """Returns what the command prints, which is one line; its log is nobody's here."""
    here = os.pathsep.join(filter(None, sys.path))
    environment = {**os.environ, "PYTHONPATH": here}
    pipes = (DEVNULL, PIPE, DEVNULL)
    process = await started(
        _COMMAND, Path.cwd(), environment, pipes=pipes, limit=_MOST_BYTES, ended=killed
    )
    try:
        assert process.stdout is not None
        return await process.stdout.readline()
    finally:
        await killed(process)
