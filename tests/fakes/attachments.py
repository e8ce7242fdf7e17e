"""Files that a test lays ready, and readings that a test decides."""

from dataclasses import dataclass, field

from bot.domain.talk.errors import ChannelError, FileWithheld
from bot.domain.talk.message import Attachment
from bot.ports.attachments import DocumentText, NotRead, Reading


@dataclass(slots=True)
class FakeFiles:
    """`stored` by handle; the next fetches raise `faults`, in order."""

    stored: dict[str, bytes] = field(default_factory=dict[str, bytes])
    faults: list[ChannelError] = field(default_factory=list[ChannelError])
    fetched: list[str] = field(default_factory=list[str])

    async def fetch(self, attachment: Attachment, most: int) -> bytes:
        self.fetched.append(attachment.handle)
        if self.faults:
            raise self.faults.pop(0)
        data = self.stored.get(attachment.handle)
        if data is None or len(data) > most:
            raise FileWithheld("is not kept any more")
        return data


@dataclass(slots=True)
class FakeReader:
    """Reads UTF-8 as text, but for what the test says of some bytes."""

    readings: dict[bytes, Reading] = field(default_factory=dict[bytes, Reading])

    async def read(self, data: bytes, name: str) -> Reading:
        known = self.readings.get(data)
        if known is not None:
            return known
        try:
            return DocumentText(data.decode())
        except UnicodeDecodeError:
            return NotRead("is not text")
