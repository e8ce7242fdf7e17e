"""Draws charts in a bounded process, and keeps them until they are delivered."""

import asyncio
import hashlib
import json
import logging
from dataclasses import asdict
from pathlib import Path

from bot.adapters.child_process import answer_of, environment_of
from bot.domain.talk.message import FileRef
from bot.ports.charts import Chart

_LOG = logging.getLogger(__name__)
_NAME = "usage.png"
_SECONDS = 20.0
_CPU_SECONDS = 15
_MEMORY = 1_500_000_000
_PNG = b"\x89PNG\r\n\x1a\n"
_LARGEST = 2_000_000


class ChartFiles:
    """The port `Charts`: pictures lie below `spool`, the fonts that the library knows in `cache`.

    One chart is drawn at a time; the library is loaded in the process that draws, and only there.
    """

    def __init__(self, spool: Path, cache: Path, seconds: float = _SECONDS) -> None:
        self._spool = spool
        self._cache = cache
        self._seconds = seconds
        self._room = asyncio.Semaphore(1)

    async def draw(self, key: str, chart: Chart) -> FileRef | None:
        path = self._spool / hashlib.sha256(key.encode()).hexdigest()[:32] / "content"
        try:
            async with asyncio.timeout(self._seconds), self._room:
                picture = await self._drawn(json.dumps(asdict(chart)).encode())
            await asyncio.to_thread(_kept, path, picture)
        except (OSError, TimeoutError, ValueError) as fault:
            _LOG.warning("no chart: %s", fault or "it took too long")
            return None
        return FileRef(str(path), _NAME)

    async def _drawn(self, chart: bytes) -> bytes:
        """Returns the picture of a child that is gone then, whatever happens."""
        await asyncio.to_thread(self._cache.mkdir, 0o700, parents=True, exist_ok=True)
        own = {"MPLCONFIGDIR": str(self._cache.resolve()), "OPENBLAS_NUM_THREADS": "1"}
        code, picture = await answer_of(
            "bot.adapters.charts.child",
            *(str(_MEMORY), str(_CPU_SECONDS)),
            asked=chart,
            environment=environment_of(own),
        )
        if code or not picture.startswith(_PNG) or len(picture) > _LARGEST:
            raise ValueError(f"the process that draws ended with {code}")
        return picture


def _kept(path: Path, picture: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    path.write_bytes(picture)
