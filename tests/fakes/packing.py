"""Exports that are kept in memory."""

from collections.abc import AsyncIterator

from bot.domain.talk.message import FileRef
from bot.ports.belongings import Page


class FakePacking:
    """Keeps the pages of the newest export of each key."""

    def __init__(self) -> None:
        self.packed: dict[str, list[Page]] = {}

    async def pack(
        self, key: str, name: str, pages: AsyncIterator[Page], most: int
    ) -> FileRef | None:
        found = [page async for page in pages]
        if sum(len(page.lines) + len(page.markdown) for page in found) > most:
            return None
        self.packed[key] = found
        return FileRef("", f"{name}.zip", text="".join(page.markdown for page in found))
