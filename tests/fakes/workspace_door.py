"""Files in memory, behind the guarded door of taking back."""

import asyncio
from dataclasses import dataclass, field

from bot.domain.talk.errors import ToolFailure
from bot.domain.talk.message import Block, CodeBlock
from bot.domain.tools.file_change import token_of
from bot.ports.file_changes import PresentFile


@dataclass(slots=True)
class FakeDoor:
    """Holds files by their path; `locked` are those that cannot be opened."""

    files: dict[str, bytes] = field(default_factory=dict[str, bytes])
    locked: set[str] = field(default_factory=set[str])
    puts: list[str] = field(default_factory=list[str])
    """The paths that were changed, in order."""
    most: int = 1_000
    gate: asyncio.Event | None = None
    """Holds whoever looks at a file until it is set."""

    def told(self, now: PresentFile, then: bytes | None) -> tuple[Block, ...]:
        old, new = (now.content or b"").decode(), (then or b"").decode()
        return (CodeBlock(f"-{old}\n+{new}", "diff"),)

    async def look(self, root: str, path: str) -> PresentFile:
        if self.gate is not None:
            await self.gate.wait()
        if path in self.locked:
            raise ToolFailure(f"{path}: it is a link; links are not followed")
        content = self.files.get(path)
        kept = content is None or len(content) <= self.most
        size = len(content or b"")
        return PresentFile(token_of(content), size, 0o644, content if kept else None, kept)

    async def put(self, root: str, path: str, content: bytes | None, mode: int, seen: str) -> None:
        if token_of(self.files.get(path)) != seen:
            raise ToolFailure(f"{path}: it has changed since it was shown; look at it again")
        self.puts.append(path)
        if content is None:
            del self.files[path]
        else:
            self.files[path] = content
