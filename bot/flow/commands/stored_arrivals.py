"""Messages that were taken before, read once more from their rows."""

from bot.domain.value import frozen
from bot.flow.queue.arrival import Arrival
from bot.flow.reading.message_reader import MessageReader
from bot.ports.chats import Chats
from bot.ports.inbox import Inbox


@frozen
class StoredArrivals:
    _inbox: Inbox
    _chats: Chats
    _reader: MessageReader

    async def get(self, id: int, chat: int) -> Arrival | None:
        """Returns the message of a row with the person who wrote it; None outside this chat."""
        row = await self._inbox.get(id)
        if row is None or row.chat != chat:
            return None
        place = await self._chats.get(chat)
        read = await self._reader.read(row, place)
        return Arrival(row, read.bundle.first, place, read.person) if read is not None else None
