"""Exports as zipped files, kept until they are delivered."""

import asyncio
import hashlib
import zipfile
from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path

from bot.domain.errors import ToolFailure
from bot.domain.message import FileRef
from bot.ports.belongings import Page

_NAME, _ZIPPED = "steward-export.zip", "content.zip"


class ExportFiles:
    """Writes below `spool`, where old copies are cleared away at each start."""

    def __init__(self, spool: Path) -> None:
        self._spool = spool

    async def pack(self, key: str, pages: AsyncIterator[Page], most: int) -> FileRef | None:
        """Writes page by page in a thread, so that a long export holds up nobody."""
        folder = self._spool / hashlib.sha256(key.encode()).hexdigest()[:32]
        try:
            await asyncio.to_thread(_emptied, folder)
            size = 0
            async for page in pages:
                size += await asyncio.to_thread(_add, folder, page)
                if size > most:
                    await asyncio.to_thread(_emptied, folder)
                    return None
            await asyncio.to_thread(_zipped, folder)
        except OSError as fault:
            raise ToolFailure(f"the file cannot be written: {fault.strerror}") from fault
        return FileRef(str(folder / _ZIPPED), _NAME)


def _emptied(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    for name in (_ZIPPED, "content.jsonl", "content.md"):
        with suppress(FileNotFoundError):
            (folder / name).unlink()


def _add(folder: Path, page: Page) -> int:
    size = 0
    for name, text in (("content.jsonl", page.lines), ("content.md", page.markdown)):
        data = text.encode(errors="replace")
        with (folder / name).open("ab") as file:
            file.write(data)
        size += len(data)
    return size


def _zipped(folder: Path) -> None:
    with zipfile.ZipFile(folder / _ZIPPED, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in ("content.jsonl", "content.md"):
            if (folder / name).exists():
                archive.write(folder / name, name.replace("content", "steward"))
                (folder / name).unlink()
