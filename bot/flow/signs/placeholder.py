"""The draft of a group: a message in which an answer grows, deleted after the answer."""

import asyncio
import logging
from collections import Counter
from collections.abc import Callable, Collection
from contextlib import AbstractAsyncContextManager, AbstractContextManager, nullcontext
from datetime import datetime
from typing import Protocol

from bot.domain.change import Change, Retract
from bot.domain.talk.errors import ChannelError, ContentRefused, FloodWait, StoreError
from bot.domain.talk.message import Address, Button, Piece
from bot.domain.turn.turn import Turn
from bot.flow.activities import ActivityOwner
from bot.ports.channel import Channel, DraftPlace
from bot.ports.clock import Clock
from bot.ports.journal import Journal

_LOG = logging.getLogger(__name__)


class UnknownMessages(Protocol):
    """Keeps in mind which turns may have a message on the screen whose id nobody knows."""

    def doubt(self, turn: str, since: datetime) -> None:
        """Notes that an earlier run of the program may have sent one of the turn."""
        ...

    def sending(self, turn: str, number: int, at: datetime) -> AbstractContextManager[None]:
        """Returns a block in which a message of the turn is sent and its id recorded."""
        ...

    def since(self, turn: str) -> datetime | None:
        """Returns the time since when a message of the turn may stand; None when none does."""
        ...

    def owe(self, turn: str) -> None:
        """Notes that a search for a message of the turn is owed."""
        ...

    def looked(self, turn: str) -> None:
        """Notes the end of a search."""
        ...


class Screen(Protocol):
    """Tells what the delivery knows of messages that stand beside the owed ones."""

    @property
    def strays(self) -> UnknownMessages: ...

    def beside(self, chat: int) -> AbstractAsyncContextManager[object]:
        """Returns a block in which no message of the chat is looked for or taken away."""
        ...

    def took(self, chat: int, message_id: str) -> bool:
        """Returns True for a message that the delivery has taken from the screen."""
        ...


class Lookout(Protocol):
    """Looks for messages that may stand on the screen though nobody knows their ids."""

    async def find(
        self, channel: Channel, chat: int, address: Address, piece: Piece | None, since: datetime
    ) -> str | None:
        """Returns the id of a message that was sent after `since`, if it was sent at all.

        Without a piece it is one in which an answer grew.
        """
        ...


class Placing(ActivityOwner):
    """Holds the parts that all placeholders share; `wake` starts a delivery to a chat.

    `names` has the number of the next message of a turn that has not ended: a name serves for one
    message. Closing it cancels the sending of placeholders.
    """

    def __init__(
        self,
        journal: Journal,
        wake: Callable[[int], None],
        screen: Screen,
        looking: Lookout,
        clock: Clock,
    ) -> None:
        super().__init__()
        self.journal = journal
        self.wake = wake
        self.screen = screen
        self.looking = looking
        self.clock = clock
        self.names: Counter[str] = Counter()


class Placeholder:
    """Shows the newest text in one message while the rates leave room for it.

    As soon as the message is on the screen, its deletion is owed: if the program dies, the next
    one deletes it. The answer does not depend on it, so no answer is lost or sent twice.

    A message may stand though nobody knows its id: its confirmation has not come yet, or never
    came, or an earlier run of the program died over it. When the turn ends, the delivery has to
    look for it. Before that, it is looked for when the next text needs one; where messages have
    names, showing it again tells its id.
    """

    def __init__(self, placing: Placing, channel: Channel, address: Address, turn: Turn) -> None:
        self._placing = placing
        self._channel = channel
        self._address = address
        self._turn = turn
        self.number = placing.names[turn.id]
        self._message: str | None = None
        self._shown = ""
        self._links: Collection[str] | None = ()
        self._button: Button | None = None
        self._task: asyncio.Task[None] | None = None
        self._placed = False
        self._ended = False
        self.missed = False
        """True when there was no room for the newest text."""

    def show(self, text: str, links: Collection[str] | None) -> None:
        """Starts to show the text; does nothing while an earlier text is being sent.

        `links` are the targets that words may hide; None when they may hide any.
        """
        if self._task is not None or text == self._shown or self._ended:
            return
        self._links = links
        self.missed = False
        name = f"placeholder {self._address.key}"
        # Sending runs in a task of its own: if it were cancelled with the turn, a message could
        # stay on the screen for ever.
        self._task = self._placing.start(self._show(text), name)

    def put(self, button: Button) -> bool:
        """Puts a button below the text; False where no message of it is on the screen."""
        if not self._placed or self._ended:
            return False
        self._button = button
        text, self._shown = self._shown, ""
        if text:
            self.show(text, self._links)
        return True

    def close(self) -> None:
        """Begins to send no more text; what is being sent already may still appear."""
        self._ended = True

    def end(self) -> None:
        """Shows no more text, and has the message deleted if it is on the screen."""
        self._ended = True
        if self._task is None and self._placed:
            self._placing.wake(self._turn.chat)

    async def _look(self) -> None:
        """Looks for a message whose id nobody knows; the answer grows on in it."""
        chat, strays = self._turn.chat, self._placing.screen.strays
        since = strays.since(self._turn.id)
        if since is None:
            return
        try:
            found = await self._placing.looking.find(
                self._channel, chat, self._address, None, since
            )
        except StoreError as fault:
            _LOG.info("a placeholder may stay for now: %s", fault)
            return
        if found is not None:
            self._placed, self._message = True, found
            await self._owe(found)
        strays.looked(self._turn.id)

    async def _show(self, text: str) -> None:
        try:
            async with self._placing.screen.beside(self._turn.chat):
                if not self._ended:
                    await self._draw(text)
        except ContentRefused as refused:
            # Someone deleted the message, or it was replaced: the next text makes a new one.
            _LOG.info("a placeholder is gone: %s", refused)
            self._forget()
        except FloodWait:
            self.missed = True
        except ChannelError as fault:
            _LOG.info("a placeholder was left out: %s", fault)
        finally:
            self._task = None
            if self._ended:
                # The delivery may have waited for the id.
                self._placing.wake(self._turn.chat)

    async def _draw(self, text: str) -> None:
        turn = self._turn
        if self._message is not None and self._placing.screen.took(turn.chat, self._message):
            self._forget()
        if self._message is None and not self._channel.growth.named:
            await self._look()
        once = f"growing {turn.id} {self.number}"
        place = DraftPlace(self._message, turn.reply_to, self._button, once)
        with self._in_doubt():
            shown = await self._channel.draft(self._address, text, self._links, place)
            if shown is not None and shown != self._message:
                self._placed = True
                await self._owe(shown)
        self._message, self._shown = shown, text if shown is not None else ""

    def _in_doubt(self) -> AbstractContextManager[None]:
        """Returns a block in which the message is sent, if it has no id yet."""
        if self._message is not None:
            return nullcontext()
        placing, turn = self._placing, self._turn.id
        return placing.screen.strays.sending(turn, self.number, placing.clock.now())

    def _forget(self) -> None:
        self._message = None
        self.number += 1

    async def _owe(self, message: str) -> None:
        try:
            retract = Retract(self._turn.chat, self._turn.id, message)
            await self._placing.journal.commit(Change((retract,)))
        except StoreError as fault:
            _LOG.warning("a placeholder cannot be kept in mind: %s", fault)
            await self._channel.edit(self._address, message, None)
