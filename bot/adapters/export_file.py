"""Exports as zipped files, kept until they are delivered."""

import asyncio
import hashlib
import zipfile
from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path

from bot.domain.talk.errors import ToolFailure
from bot.domain.talk.message import FileRef
from bot.ports.belongings import Page

_ENDING = ".zip"


class ExportFiles:
    """Writes below `spool`, where old copies are cleared away at each start."""

    def __init__(self, spool: Path) -> None:
        self._spool = spool

    async def pack(
        self, key: str, name: str, pages: AsyncIterator[Page], most: int
    ) -> FileRef | None:
        """Writes page by page in a thread, so that a long export holds up nobody."""
        folder = self._spool / hashlib.sha256(key.encode()).hexdigest()[:32]
        zipped = folder / f"{name}{_ENDING}"
        try:
            await asyncio.to_thread(_emptied, folder)
            size = 0
            async for page in pages:
                size += await asyncio.to_thread(_add, folder, page)
                if size > most:
                    await asyncio.to_thread(_emptied, folder)
                    return None
            await asyncio.to_thread(_zip, folder, zipped)
        except OSError as fault:
            raise ToolFailure(f"the file cannot be written: {fault.strerror}") from fault
        return FileRef(str(zipped), zipped.name)


def _emptied(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    for file in (*folder.glob(f"*{_ENDING}"), folder / "content.jsonl", folder / "content.md"):
        with suppress(FileNotFoundError):
            file.unlink()


def _add(folder: Path, page: Page) -> int:
    size = 0
    for name, text in (("content.jsonl", page.lines), ("content.md", page.markdown)):
        data = text.encode(errors="replace")
        with (folder / name).open("ab") as file:
            file.write(data)
        size += len(data)
    return size


def _zip(folder: Path, zipped: Path) -> None:
    with zipfile.ZipFile(zipped, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in ("content.jsonl", "content.md"):
            if (folder / name).exists():
                archive.write(folder / name, name.replace("content", "steward"))
                (folder / name).unlink()
