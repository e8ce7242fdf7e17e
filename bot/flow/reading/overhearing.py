"""Handles group talk that is not for the bot: passes it over, or keeps it as context."""

import asyncio
from contextlib import suppress

from bot.domain.change import Change, InboundState, MarkInbound, NameChat, PassOver, ReleaseHeard
from bot.domain.talk.chat import Chat
from bot.domain.talk.errors import Conflict, StoreError
from bot.domain.talk.message import Address, InboundMessage
from bot.domain.text.foreign_text import set_apart
from bot.domain.text.names import quoted_name
from bot.domain.text.visible_text import clipped
from bot.domain.value import frozen
from bot.flow.reading.row_reader import RowReader
from bot.ports.chats import Chats
from bot.ports.inbox import InboundRow, Inbox
from bot.ports.journal import Journal
from bot.ports.people import People

MOST_HEARD = 50
"""The most messages that are kept for the next turn."""

_LONGEST_LINE = 500

MOST_COLLECTED = 200
"""The most marks that wait to be stored together."""


@frozen
class Heard:
    """Talk of the group since the last turn, as data for the model.

    `release` is the write that marks these messages as done.
    """

    text: str
    release: ReleaseHeard


class Overhearing:
    """Collects marks of such updates and stores them one batch at a time.

    This saves a transaction for each update; updates of a lost batch are simply routed again. The
    places and strangers of a batch are looked up once.
    """

    def __init__(
        self, inbox: Inbox, chats: Chats, people: People, journal: Journal, rows: RowReader
    ) -> None:
        self._inbox = inbox
        self._people = people
        self._chats = chats
        self._journal = journal
        self._rows = rows
        self._passed: set[int] = set()
        self._heard: dict[int, MarkInbound] = {}
        self.collected: set[int] = set()
        """The rows that still look new in the inbox because their marks are not stored."""
        self.in_use = False
        """True from the first update of a batch until the batch is stored."""
        self._known: dict[Address, Chat] = {}
        self._new: set[Address] = set()
        self._strangers: set[str] = set()
        self._storing = asyncio.Lock()

    async def concerns_nobody(self, message: InboundMessage) -> bool:
        """Returns true for words of a stranger in a group or topic that has no chat yet."""
        self.in_use = True
        return await self._is_new(message.address) and await self._is_of_stranger(message)

    async def _is_new(self, address: Address) -> bool:
        if address in self._known or address in self._new:
            return address not in self._known
        chats = await self._chats.within(address)
        if any(address in (chat.address, chat.moved_from) for chat in chats):
            return False
        self._new.add(address)
        return True

    async def _is_of_stranger(self, message: InboundMessage) -> bool:
        sender = message.sender
        if sender.key not in self._strangers:
            if await self._people.by_sender(sender) is not None:
                return False
            self._strangers.add(sender.key)
        return True

    async def chat(self, message: InboundMessage) -> Chat:
        """Returns the group of a message, read once a batch, and keeps its title up to date."""
        known = self._known.get(message.address)
        if known is None:
            known = await self._chats.at(message.address, private=False)
            if message.title and message.title != known.title:
                await self._journal.commit(Change((NameChat(known.id, message.title),)))
            self._known[message.address] = known
        return known

    def pass_over(self, row: InboundRow) -> None:
        self.in_use = True
        self.collected.add(row.id)
        self._passed.add(row.id)

    def overhear(self, row: InboundRow, chat: Chat) -> None:
        """Keeps a message if context is on in the group, otherwise passes it over."""
        if not chat.settings.listens:
            self.pass_over(row)
            return
        expect = (InboundState.NEW,)
        self.collected.add(row.id)
        self._heard[row.id] = MarkInbound(row.id, InboundState.HEARD, expect, chat.id)

    async def flush(self) -> None:
        """Stores the collected marks; the router calls it before a turn can need them.

        It returns only when the marks that another caller is storing are stored, too.
        """
        self._known.clear()
        self._new.clear()
        self._strangers.clear()
        async with self._storing:
            if self._passed or self._heard:
                await self._store()
            self.in_use = bool(self._passed or self._heard or self._known or self._new)

    async def _store(self) -> None:
        passed, heard = self._passed, self._heard
        self._passed, self._heard = set(), {}
        try:
            await self._written(passed, heard)
        except StoreError:
            # The next caller tries it again.
            self._passed |= passed
            self._heard = {**heard, **self._heard}
            raise
        self.collected -= passed | heard.keys()
        for chat in {mark.chat for mark in heard.values() if mark.chat is not None}:
            await self._trim(chat)

    async def _written(self, passed: set[int], heard: dict[int, MarkInbound]) -> None:
        """Writes marks together; one by one when some of the updates are marked already."""
        over = (PassOver(tuple(sorted(passed)), "not for the bot"),) if passed else ()
        try:
            await self._journal.commit(Change((*heard.values(), *over)))
        except Conflict:
            for mark in heard.values():
                with suppress(Conflict):
                    await self._journal.commit(Change((mark,)))
            await self._journal.commit(Change(over))

    async def _trim(self, chat: int) -> None:
        kept = await self._inbox.heard(chat, MOST_HEARD + 1)
        if len(kept) > MOST_HEARD:
            await self._journal.commit(Change((ReleaseHeard(chat, kept[0].id),)))

    async def read(self, chat: Chat) -> Heard | None:
        """Returns the talk heard in a chat that no turn has taken yet; None when there is none."""
        if chat.private or not chat.settings.listens:
            return None
        rows = await self._inbox.heard(chat.id, MOST_HEARD)
        if not rows:
            return None
        lines = "\n".join(line for row in rows if (line := self._line(row)))
        text = set_apart("talk of the group that was not said to you", lines)
        return Heard(text, ReleaseHeard(chat.id, rows[-1].id))

    def _line(self, row: InboundRow) -> str:
        """Returns a message as one line."""
        message = self._rows.message(row)
        if message is None:
            return ""
        words = " ".join(message.text.split()) or "[no text]"
        who = f"{quoted_name(message.sender.name)}, {message.sender.key}"
        return f"[{who}] {clipped(words, _LONGEST_LINE)}"
