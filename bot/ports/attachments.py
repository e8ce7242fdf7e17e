"""What comes along with a message: fetching it, and reading it for a model."""

from dataclasses import dataclass
from typing import Protocol, TypeAlias

from bot.domain.message import Attachment
from bot.domain.transcript import ImagePart


@dataclass(frozen=True, slots=True)
class DocumentText:
    """The words of a document; `note` says in one sentence what of it was left out."""

    text: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class NotRead:
    """Why there is nothing to show, as the end of a sentence that begins with the file's name."""

    why: str


Reading: TypeAlias = DocumentText | ImagePart | NotRead


class Files(Protocol):
    async def fetch(self, attachment: Attachment, most: int) -> bytes:
        """The file, of at most so many bytes; raises FileWithheld, or another ChannelError."""
        ...


class Reader(Protocol):
    async def read(self, data: bytes, name: str) -> Reading:
        """Finds out by the content what a file is; whatever stands in it, the answer is a value."""
        ...
