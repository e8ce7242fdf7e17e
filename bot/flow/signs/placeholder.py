"""The draft of a group: a message in which an answer grows, deleted after the answer."""

import asyncio
import logging
from collections import Counter
from collections.abc import Callable, Collection
from contextlib import AbstractAsyncContextManager
from datetime import datetime
from typing import Protocol

from bot.domain.change import Change, Retract
from bot.domain.talk.errors import (
    ChannelError,
    ChannelUnreachable,
    ContentRefused,
    FloodWait,
    StoreError,
)
from bot.domain.talk.message import Address, Button, Piece
from bot.domain.turn.turn import Turn
from bot.flow.activities import ActivityOwner
from bot.ports.channel import Channel, DraftPlace
from bot.ports.clock import Clock
from bot.ports.journal import Journal

_LOG = logging.getLogger(__name__)

_NO_WORDS = "…"


class Screen(Protocol):
    """Tells what the delivery knows of messages that stand beside the owed ones."""

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
        self.opened_at = clock.now()
        self.names: Counter[str] = Counter()


class Placeholder:
    """Shows the newest text in one message while the rates leave room for it.

    As soon as the message is on the screen, its deletion is owed: if the program dies, the next
    one deletes it. The answer does not depend on it, so no answer is lost or sent twice.

    A message may stand though nobody knows its id: its confirmation did not come, or an earlier run
    of the program died over it. So it is looked for before another one is made, and in the end.
    Where messages have names, showing it again tells its id.
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
        self._lost = False
        earlier = turn.created_at < placing.opened_at and turn.id not in placing.names
        self._unsure: datetime | None = turn.created_at if earlier else None
        """Since when a message of the turn may stand whose id nobody knows."""
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
        self._start(text)

    def _start(self, text: str) -> None:
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

    def end(self) -> None:
        """Shows no more text, and has the message deleted if it is on the screen."""
        self._ended = True
        if self._task is not None:
            return
        if self._lost:
            # It is shown once more, which tells its id.
            self._lost = False
            self._start(self._shown or _NO_WORDS)
        elif self._unsure is not None and self._message is None:
            name = f"left placeholder {self._address.key}"
            self._task = self._placing.start(self._look_back(), name)
        elif self._placed:
            self._placing.wake(self._turn.chat)

    async def _look_back(self) -> None:
        """Has a message taken away that was left behind, if there is one."""
        try:
            async with self._placing.screen.beside(self._turn.chat):
                await self._look()
        except ChannelError as fault:
            _LOG.info("a placeholder may stay: %s", fault)
        finally:
            self._task = self._unsure = None
        self.end()

    async def _look(self) -> None:
        """Looks for a message whose id nobody knows; the answer grows on in it."""
        if self._unsure is None:
            return
        found, chat = None, self._turn.chat
        try:
            found = await self._placing.looking.find(
                self._channel, chat, self._address, None, self._unsure
            )
        except StoreError as fault:
            _LOG.info("a placeholder may stay: %s", fault)
        self._unsure = None
        if found is not None and self._channel.growth.named:
            self._lost = True
        elif found is not None:
            self._placed, self._message = True, found
            await self._owe(found)

    async def _show(self, text: str) -> None:
        began = self._placing.clock.now()
        try:
            async with self._placing.screen.beside(self._turn.chat):
                await self._draw(text)
        except ContentRefused as refused:
            # Someone deleted the message, or it was replaced: the next text makes a new one.
            _LOG.info("a placeholder is gone: %s", refused)
            self._forget()
        except FloodWait:
            self.missed = True
        except ChannelError as fault:
            _LOG.info("a placeholder was left out: %s", fault)
            cut = isinstance(fault, ChannelUnreachable) and fault.maybe_done
            if cut and self._message is None:
                named = self._channel.growth.named
                self._lost = named and not self._ended
                self._unsure = None if named else began
        finally:
            self._task = None
        if self._ended:
            self.end()

    async def _draw(self, text: str) -> None:
        turn = self._turn
        if self._message is not None and self._placing.screen.took(turn.chat, self._message):
            self._forget()
        if self._message is None and not self._channel.growth.named:
            await self._look()
        once = f"growing {turn.id} {self.number}"
        place = DraftPlace(self._message, turn.reply_to, self._button, once)
        shown = await self._channel.draft(self._address, text, self._links, place)
        if shown is not None and shown != self._message:
            self._placed, self._lost = True, False
            await self._owe(shown)
        self._message, self._shown = shown, text if shown is not None else ""

    def _forget(self) -> None:
        self._message, self._lost = None, False
        self.number += 1

    async def _owe(self, message: str) -> None:
        try:
            retract = Retract(self._turn.chat, self._turn.id, message)
            await self._placing.journal.commit(Change((retract,)))
        except StoreError as fault:
            _LOG.warning("a placeholder cannot be kept in mind: %s", fault)
            await self._channel.edit(self._address, message, None)
