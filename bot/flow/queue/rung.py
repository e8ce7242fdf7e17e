"""Does what queueing does, for a chat of this process whose message came to another one."""

import logging

from bot.domain.talk.errors import StoreError
from bot.domain.talk.message import InboundMessage
from bot.flow.activities import ActivityOwner
from bot.flow.queue.chat_queue import ChatQueue
from bot.flow.reading.row_reader import RowReader
from bot.flow.signs.reactions import Reactions
from bot.ports.inbox import Inbox
from bot.ports.lanes import Lanes

_LOG = logging.getLogger(__name__)

_MOST_WAITING = 50
_MOST_CHATS = 10_000


class RungChats(ActivityOwner):
    """Looks at what waits in a chat when another process has rung for it.

    A fragment of the message that is being answered interrupts its turn, and a message that has
    to wait shows so.
    """

    def __init__(
        self, inbox: Inbox, rows: RowReader, queue: ChatQueue, reactions: Reactions, lanes: Lanes
    ) -> None:
        super().__init__()
        self._inbox = inbox
        self._rows = rows
        self._queue = queue
        self._reactions = reactions
        self._lanes = lanes
        self._seen: dict[int, int] = {}

    def hear(self, chat: int) -> None:
        """Notes a ring; a chat that is not being drained is left to its lane."""
        if self.open and self._queue.at_hand(chat):
            self.start(self._look(chat, busy=self._queue.busy(chat)), f"rung for {chat}")

    async def _look(self, chat: int, *, busy: bool) -> None:
        self._queue.arrived(chat)
        try:
            waiting = await self._inbox.waiting(chat, _MOST_WAITING)
        except StoreError as fault:
            _LOG.info("what waits in a chat is not shown: %s", fault, extra={"chat": chat})
            return
        seen = self._seen.pop(chat, 0)
        for row in waiting:
            message = self._rows.read(row)
            if row.id <= seen or not isinstance(message, InboundMessage):
                continue
            if self._queue.opens(chat, message):
                self._lanes.interrupt(chat)
            elif busy and not row.fragment:
                self._reactions.queued(message.address, message.message_id)
        self._seen[chat] = max((seen, *(row.id for row in waiting)))
        while len(self._seen) > _MOST_CHATS:
            del self._seen[next(iter(self._seen))]
