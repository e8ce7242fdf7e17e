"""Fetches and reads the attachments of messages: documents as text, photos as pictures."""

import asyncio
import logging
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

from bot.domain.budget import EnclosureBounds, Limits
from bot.domain.bundle import Bundle
from bot.domain.change import AddArtifact
from bot.domain.errors import ChannelError, ChannelUnreachable, FileWithheld, FloodWait
from bot.domain.message import Address, Attachment
from bot.domain.transcript import ImagePart
from bot.ports.attachments import DocumentText, Files, NotRead, Reader, Reading
from bot.ports.clock import Clock

_LOG = logging.getLogger(__name__)

_READABLE = ("photo", "document")
_UNREAD = {
    "photo": "a photo",
    "document": "a document",
    "voice": "a voice message",
    "video": "a video",
    "other": "an attachment",
}
_WAITS = (1.0, 3.0)
_LONGEST_WAIT = 10.0


@dataclass(frozen=True, slots=True)
class Enclosed:
    """Attachments as the model sees them: `words`, in order, and `pictures`.

    `wholes` are the full texts of documents that `words` shows only in part; they are stored with
    the entry.
    """

    words: tuple[str, ...] = ()
    pictures: tuple[ImagePart, ...] = ()
    wholes: tuple[AddArtifact, ...] = ()


@dataclass(frozen=True, slots=True)
class _Enclosure:
    """An attachment of the message itself or of a message that it quotes."""

    attachment: Attachment
    quoted: bool

    @property
    def named(self) -> str:
        place = " of the quoted message" if self.quoted else ""
        return f"{_UNREAD[self.attachment.kind]}{place}, “{self.attachment.name}”,"


_Found: TypeAlias = tuple[_Enclosure, Reading]


class Enclosures:
    """Opens attachments; one that cannot be read is replaced by a note, and the message stays."""

    def __init__(
        self,
        files: Mapping[str, Files],
        reader: Reader,
        clock: Clock,
        limits: Limits,
        bounds: EnclosureBounds,
    ) -> None:
        """Takes `files` by channel name; attachments of a channel that is not in it stay unread."""
        self._files = files
        self._reader = reader
        self._clock = clock
        self._limits = limits
        self._bounds = bounds

    async def open(self, bundle: Bundle, chat: int) -> Enclosed:
        """Fetches and reads one attachment after the other, in bounded time."""
        address, enclosures = bundle.first.address, _enclosures(bundle)
        found: list[_Found] = []
        try:
            async with asyncio.timeout(self._bounds.seconds):
                for one in enclosures:
                    found.append((one, await self._reading(one.attachment, address)))
        except TimeoutError:
            late = enclosures[len(found) :]
            found.extend((one, NotRead("did not come in time")) for one in late)
        return self._enclosed(found, chat)

    async def _reading(self, attachment: Attachment, address: Address) -> Reading:
        files = self._files.get(address.channel)
        if files is None or attachment.kind not in _READABLE:
            return NotRead("came along; it cannot be read here")
        try:
            data = await self._fetched(files, attachment)
        except FileWithheld as fault:
            return NotRead(str(fault))
        except ChannelError as fault:
            _LOG.warning("an attachment did not come: %s", fault, extra={"chat": address.key})
            return NotRead("could not be fetched from the channel; it can be sent again")
        return await self._reader.read(data, attachment.name)

    async def _fetched(self, files: Files, attachment: Attachment) -> bytes:
        """Returns the bytes of an attachment; tries again a few times when the channel is busy."""
        for wait in _WAITS:
            try:
                return await files.fetch(attachment, self._bounds.bytes)
            except FloodWait as fault:
                await self._clock.sleep(min(fault.retry_after, _LONGEST_WAIT))
            except ChannelUnreachable:
                await self._clock.sleep(wait)
        return await files.fetch(attachment, self._bounds.bytes)

    def _enclosed(self, found: list[_Found], chat: int) -> Enclosed:
        words: list[str] = []
        pictures: list[ImagePart] = []
        wholes: list[AddArtifact] = []
        room = self._limits.round_bytes
        for one, reading in found:
            match reading:
                case ImagePart():
                    pictures.append(reading)
                    words.append(f"[{one.named} came along]")
                case NotRead(why):
                    words.append(f"[{one.named} {why}]")
                case DocumentText():
                    text, whole = _fitted(reading, min(self._limits.result_bytes, room), chat)
                    room = max(0, room - len(text.encode()))
                    words.append(_document(one.attachment.name, text))
                    wholes.extend(whole)
        return Enclosed(tuple(words), tuple(pictures), tuple(wholes))


def _enclosures(bundle: Bundle) -> list[_Enclosure]:
    """Returns the attachments of quoted messages, then those of the message itself."""
    quoted = [_Enclosure(one, True) for quote in bundle.quotes for one in quote.attachments]
    return [*quoted, *(_Enclosure(one, False) for one in bundle.attachments)]


def _fitted(reading: DocumentText, room: int, chat: int) -> tuple[str, tuple[AddArtifact, ...]]:
    """Returns the text with its note, cut to `room` bytes, and the full text if it was cut."""
    note = f"\n[{reading.note}]" if reading.note else ""
    encoded = reading.text.encode()
    if len(encoded) <= room:
        return reading.text + note, ()
    name = f"document-{secrets.token_hex(8)}"
    shown = encoded[:room].decode(errors="ignore")
    cut = (
        f"\n[… {len(encoded) - room} of {len(encoded)} bytes left out; "
        f"read_file artifact:{name} has the whole …]"
    )
    return shown + cut + note, (AddArtifact(name, chat, reading.text),)


def _document(name: str, text: str) -> str:
    # The text of a document must not be able to end the block.
    held = text.replace("</document", "<\\/document")
    return f"<document name={name!r}>\n{held}\n</document>"
