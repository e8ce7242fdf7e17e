"""Fetches the files of a message, and reads them for a model."""

from typing import Protocol, TypeAlias

from bot.domain.talk.message import Attachment
from bot.domain.turn.transcript import ImagePart
from bot.domain.value import frozen


@frozen
class DocumentText:
    """The words of a document of some `kind`; `note` names the omitted parts in one sentence."""

    text: str
    note: str = ""
    kind: str = "text"


@frozen
class NotRead:
    """A file that was not read; `why` completes a sentence that begins with the file's name."""

    why: str


@frozen
class Unheard:
    """A recording without its words: the reason as half a sentence, and a sentence on what helps.

    The person who sent it reads both, since nobody else could make up for the words.
    """

    why: str
    cure: str


@frozen
class Spoken:
    """The words of a recording, as they were heard."""

    text: str


Reading: TypeAlias = DocumentText | ImagePart | NotRead


class Files(Protocol):
    async def fetch(self, attachment: Attachment, most: int) -> bytes:
        """Returns a file of at most `most` bytes; raises FileWithheld or another ChannelError."""
        ...


class Reader(Protocol):
    async def read(self, data: bytes, name: str) -> Reading:
        """Recognises a file by its content and reads it; never raises, whatever the content is."""
        ...
