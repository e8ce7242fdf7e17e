"""Inboxes in memory, which a test can fill, close or look into."""

from dataclasses import dataclass, field
from pathlib import Path

from bot.domain.talk.errors import ToolFailure
from bot.domain.talk.file_name import numbered
from bot.domain.talk.received import INBOX, ReceivedFile


@dataclass(slots=True)
class FakeInboxFolder:
    """`files` by their whole path; with a `fault` there is no place for any file."""

    files: dict[str, bytes] = field(default_factory=dict[str, bytes])
    fault: str = ""

    async def content(self, file: ReceivedFile) -> bytes | None:
        return self.files.get(f"{file.folder}/{file.path}")

    async def free(self, workspace: Path, name: str, size: int) -> str:
        if self.fault:
            raise ToolFailure(self.fault)
        paths = (f"{INBOX}/{one}" for one in numbered(name))
        return next(path for path in paths if f"{workspace}/{path}" not in self.files)

    async def keep(self, file: ReceivedFile, data: bytes) -> bool:
        path = f"{file.folder}/{file.path}"
        if path in self.files:
            return False
        self.files[path] = data
        return True

    async def discard(self, file: ReceivedFile) -> None:
        self.files.pop(f"{file.folder}/{file.path}", None)
