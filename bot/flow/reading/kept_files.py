"""Keeps the files that people send in the workspace of their chat, each once."""

import asyncio
import hashlib

from bot.domain.change import Change, SaveReceived
from bot.domain.talk.chat import Chat
from bot.domain.talk.errors import ToolFailure
from bot.domain.talk.file_name import safe_name
from bot.domain.talk.message import Attachment
from bot.domain.talk.received import ReceivedFile
from bot.domain.value import frozen, replace
from bot.flow.world import Workspaces
from bot.ports.clock import Clock
from bot.ports.journal import Journal
from bot.ports.received import InboxFolder, Received

_TRIES = 5
"""Times that another file may take the chosen name."""

_NAMES = {
    "photo": "photo.jpg",
    "document": "document",
    "voice": "voice.ogg",
    "video": "video.mp4",
    "other": "file",
}


@frozen
class Parcel:
    """An attachment, and the chat, the person and the message that it came with."""

    attachment: Attachment
    chat: Chat
    person: int
    message: str
    """The platform's id of the message."""

    @property
    def key(self) -> str:
        """Returns the name of the file in its chat: the same one however often it is taken up."""
        return f"{self.message}/{self.attachment.identity or self.attachment.handle}"


@frozen
class Keeping:
    """Keeps files before the model reads of them; after a crash the same message keeps no second.

    The row of a file is stored first, with its path and the digest of its content. So the next life
    knows the file in the folder again, wherever the last one died.
    """

    _received: Received
    _folder: InboxFolder
    _journal: Journal
    _workspaces: Workspaces
    _clock: Clock

    async def recall(self, parcel: Parcel) -> tuple[ReceivedFile, bytes] | None:
        """Returns a file that is kept already, with its content; None when it has to be fetched."""
        known = await self._received.get(parcel.chat.id, parcel.key)
        if known is None or known.swept:
            return None
        if known.folder != str((await self._workspaces(parcel.chat, parcel.person)).path):
            return None
        data = await self._folder.content(known)
        if data is None:
            return None
        again = replace(known, kept_at=self._clock.now())
        await self._store(again)
        return again, data

    async def keep(self, parcel: Parcel, data: bytes) -> ReceivedFile | None:
        """Keeps a file; raises ToolFailure with the reason when there is no place for it.

        None where files are not kept at all: nothing is written into a person's project.
        """
        found = await self._workspaces(parcel.chat, parcel.person)
        workspace = found.path
        if found.project:
            return None
        name = safe_name(parcel.attachment.name, _NAMES[parcel.attachment.kind])
        # Of 20 MB this takes longer than other chats should wait.
        digest = await asyncio.to_thread(lambda: hashlib.sha256(data).hexdigest())
        for _ in range(_TRIES):
            path = await self._folder.free(workspace, name, len(data))
            file = ReceivedFile(
                parcel.chat.id,
                parcel.key,
                str(workspace),
                path,
                len(data),
                digest,
                self._clock.now(),
            )
            await self._store(file)
            if await self._folder.keep(file, data):
                return file
        raise ToolFailure(f"{name}: other files take its name again and again")

    async def _store(self, file: ReceivedFile) -> None:
        await self._journal.commit(Change((SaveReceived(file),), durable=True))
