"""Fetches, keeps and reads the attachments of messages: documents as text, photos as pictures."""

import asyncio
import logging
from collections.abc import Iterator, Mapping

from bot.domain.talk.bundle import Bundle
from bot.domain.talk.chat import Chat
from bot.domain.talk.errors import (
    ChannelError,
    ChannelUnreachable,
    FileWithheld,
    FloodWait,
    ToolFailure,
)
from bot.domain.talk.limits import EnclosureBounds, Limits
from bot.domain.talk.message import Attachment
from bot.domain.talk.received import ReceivedFile
from bot.domain.value import frozen
from bot.flow.reading.attachment_words import Enclosed, Enclosure, FoundFile, enclosed
from bot.flow.reading.kept_files import Keeping, Parcel
from bot.flow.reading.listening import AGAIN, SHORTER, Listening
from bot.ports.attachments import Files, NotRead, Reader, Unheard
from bot.ports.clock import Clock

_LOG = logging.getLogger(__name__)

_READABLE = ("photo", "document")
_NO_EARS = NotRead("is a recording, which I cannot listen to or watch")
_NO_FILE = NotRead("came along; it cannot be read here")
_WAITS = (1.0, 3.0)
_LONGEST_WAIT = 10.0


@frozen
class Enclosures:
    """Opens attachments; one that cannot be read is replaced by a note, and the message stays."""

    _files: Mapping[str, Files]
    """The files by channel name; attachments of a channel that is not here stay unread."""
    _reader: Reader
    _keeping: Keeping
    _clock: Clock
    _limits: Limits
    _bounds: EnclosureBounds
    _listening: Listening | None

    async def open(self, bundle: Bundle, chat: Chat, person: int) -> Enclosed:
        """Fetches, keeps and reads one attachment after the other, in bounded time."""
        enclosures = list(_enclosures(bundle, chat, person))
        found: list[FoundFile] = []
        try:
            async with asyncio.timeout(self._bounds.seconds):
                for one in enclosures:
                    found.append(await self._found(one))
        except TimeoutError:
            late = enclosures[len(found) :]
            found.extend(
                self._unread(one, "did not come in time", "it took too long", AGAIN) for one in late
            )
        return enclosed(found, chat.id, self._limits)

    async def _found(self, one: Enclosure) -> FoundFile:
        address, attachment = one.parcel.chat.address, one.attachment
        files = self._files.get(attachment.kept_by or address.channel)
        if files is None or not attachment.handle:
            return FoundFile(one, _NO_FILE)
        try:
            data, kept = await self._kept(files, one.parcel)
        except FileWithheld as fault:
            return self._unread(one, str(fault), f"it {fault}", SHORTER)
        except ChannelError as fault:
            _LOG.warning("an attachment did not come: %s", fault, extra={"chat": address.key})
            why = "could not be fetched from the channel"
            return self._unread(one, f"{why}; it can be sent again", f"it {why}", AGAIN)
        if attachment.kind == "voice" and self._listening is not None:
            return FoundFile(one, await self._listening.hear(one.parcel, data), kept)
        if attachment.kind not in _READABLE:
            return FoundFile(one, _NO_EARS, kept)
        return FoundFile(one, await self._reader.read(data, attachment.name), kept)

    def _unread(self, one: Enclosure, why: str, unheard: str, cure: str) -> FoundFile:
        """Returns a file that did not come; of a voice message the person is told."""
        if one.attachment.kind == "voice" and self._listening is not None:
            return FoundFile(one, Unheard(unheard, cure))
        return FoundFile(one, NotRead(why))

    async def _kept(self, files: Files, parcel: Parcel) -> tuple[bytes, ReceivedFile | str | None]:
        """Returns a file and its place, the reason why there is none, or None in a project."""
        recalled = await self._keeping.recall(parcel)
        if recalled is not None:
            kept, data = recalled
            return data, kept
        data = await self._fetched(files, parcel.attachment)
        try:
            return data, await self._keeping.keep(parcel, data)
        except ToolFailure as fault:
            return data, str(fault)

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


def _enclosures(bundle: Bundle, chat: Chat, person: int) -> Iterator[Enclosure]:
    """Yields the attachments of quoted messages, then those of the message itself."""
    for quote in bundle.quotes:
        # A file of a message in another chat is named by the message that brought it here.
        message = quote.message_id or bundle.first.message_id
        for one in quote.attachments:
            own = quote.own and one.recorded
            yield Enclosure(Parcel(one, chat, person, message), True, foreign=not own)
    for sent in bundle.messages:
        for one in sent.attachments:
            own = one.recorded and sent.forwarded_from is None
            yield Enclosure(Parcel(one, chat, person, sent.message_id), False, foreign=not own)
