"""The draft of a group: a message in which an answer grows, deleted after the answer."""

import asyncio
import logging
from collections.abc import Callable, Collection

from bot.domain.change import Change, Retract
from bot.domain.errors import ChannelError, ContentRefused, FloodWait, StoreError
from bot.domain.message import Address, Button
from bot.flow.tasks import TaskOwner
from bot.ports.channel import Channel
from bot.ports.journal import Journal

_LOG = logging.getLogger(__name__)


class Placing(TaskOwner):
    """Holds the parts that all placeholders share; `wake` starts a delivery to a chat.

    Closing it cancels the sending of placeholders.
    """

    def __init__(self, journal: Journal, wake: Callable[[int], None]) -> None:
        super().__init__()
        self.journal = journal
        self.wake = wake


class Placeholder:
    """Shows the newest text in one message while the rates leave room for it.

    As soon as the message is on the screen, its deletion is owed: if the program dies, the next
    one deletes it. The answer does not depend on it, so no answer is lost or sent twice.
    """

    def __init__(
        self,
        placing: Placing,
        channel: Channel,
        address: Address,
        chat: int,
        turn: str,
        reply_to: str | None,
    ) -> None:
        self._placing = placing
        self._channel = channel
        self._address = address
        self._chat = chat
        self._turn = turn
        self._reply_to = reply_to
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
        self.missed, self._links = False, links
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
        if self._placed and self._task is None:
            self._placing.wake(self._chat)

    async def _show(self, text: str) -> None:
        try:
            shown = await self._channel.draft(
                self._address,
                text,
                self._links,
                message_id=self._message,
                reply_to=self._reply_to,
                button=self._button,
            )
            if shown is not None and shown != self._message:
                self._placed = True
                await self._owe(shown)
            self._message, self._shown = shown, text if shown is not None else ""
        except ContentRefused as refused:
            # Someone deleted the message, or it was replaced: the next text makes a new one.
            _LOG.info("a placeholder is gone: %s", refused)
            self._message = None
        except FloodWait:
            self.missed = True
        except ChannelError as fault:
            _LOG.info("a placeholder was left out: %s", fault)
        finally:
            self._task = None
        if self._ended:
            self.end()

    async def _owe(self, message: str) -> None:
        try:
            retract = Retract(self._chat, self._turn, message)
            await self._placing.journal.commit(Change((retract,)))
        except StoreError as fault:
            _LOG.warning("a placeholder cannot be kept in mind: %s", fault)
            await self._channel.edit(self._address, message, None)
