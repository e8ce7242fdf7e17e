"""A second view on a private chat of a platform: what stands there, and what is said there."""

import asyncio
import dataclasses
from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime
from typing import TypeAlias

from bot.adapters.home_door.visit import Visit
from bot.bootstrap.opening import Running
from bot.domain.change.erasing import ECHOES
from bot.domain.talk.chat import Chat
from bot.domain.talk.errors import ContentRefused, RecipientGone, StoreError
from bot.domain.talk.message import (
    VANISHING,
    Address,
    Attachment,
    InboundMessage,
    Outbound,
    OutboundKind,
    Piece,
    Plain,
)
from bot.domain.talk.person import Person, Sender
from bot.domain.text.names import plain_name
from bot.ports.inbox import InboundRow
from bot.ports.outbox import DeliveryState, OutboxRow

_ELSEWHERE_SECONDS = 2.0
"""Seconds between two looks for what another process has written."""

_AGAIN_SECONDS = 1.0

_OVERLAP = 50
"""Arrivals before the newest one that are looked at again: writers may end in another order."""

_Seen: TypeAlias = tuple[datetime, str, int, Outbound, bool]
"""A message with its time, id and version; True for one that stood there before the visit."""


class ChatView:
    """Shows a visitor the messages of a chat once the platform has them.

    So both have the same order, and each message has the same id in both. `mark` names the newest
    messages that were there when the visitor first came; it gives them back after a restart.
    """

    def __init__(self, running: Running, chat: Chat, person: Person) -> None:
        self.person = person
        self._sender = _sender_at(chat.address)
        self._running = running
        self._chat = chat
        self._marks = (0, 0)
        self._newest = 0
        self._shown: dict[str, int] = {}
        self._cards: Sequence[str] = ()

    @classmethod
    async def of(cls, running: Running, address: Address) -> "ChatView":
        chat = await running.store.chats.at(address, private=True)
        person = await running.store.people.by_sender(_sender_at(address))
        assert person is not None
        return cls(running, chat, person)

    @property
    def title(self) -> str:
        """Returns the name of the platform."""
        return self._chat.address.channel.capitalize()

    async def folder(self) -> str:
        """Returns the folder that this chat works in."""
        world = self._running.application.parts.world
        return str((await world.workspaces(self._chat, self.person)).path)

    async def begin(self, since: object) -> Sequence[int]:
        """Returns the marks of a visit; `since` are those that it has from before a restart."""
        match since:
            case [int(heard), int(shown)]:
                self._marks = heard, shown
            case _:
                rows = await self._running.store.outbox.latest(self._chat.id)
                self._shown = {_id(row): row.shown_version for row in rows if row.message_ids}
                # A message that has vanished has no id either, and is owed no more.
                new = (row for row in rows if not row.message_ids)
                owed = (row.id - 1 for row in new if row.state is DeliveryState.OWED)
                newest = min(owed, default=max((row.id for row in rows), default=0))
                self._marks = await self._running.store.inbox.last(), newest
        return self._marks

    async def follow(self, visit: Visit, cards: Sequence[OutboxRow]) -> None:
        """Shows these open cards, and then everything new, until cancelled."""
        self._cards = [row.key for row in cards]
        for row in cards:
            self._shown.pop(_id(row), None)
            await self._show(visit, _seen(row, old=False))
        with self._running.store.written.watched() as written:
            while True:
                written.clear()
                try:
                    await self._look(visit)
                except StoreError:
                    await asyncio.sleep(_AGAIN_SECONDS)
                    continue
                with suppress(TimeoutError):
                    async with asyncio.timeout(_ELSEWHERE_SECONDS):
                        await written.wait()

    async def _look(self, visit: Visit) -> None:
        store, (heard, shown) = self._running.store, self._marks
        now = await store.people.by_sender(self._sender)
        if now is None or now.id != self.person.id or not now.is_owner:
            raise RecipientGone("this chat belongs to somebody else now")
        arrived = await store.inbox.since(self._chat.id, max(heard, self._newest - _OVERLAP))
        said = [
            (row.received_at, f"in:{row.id}", 1, words, False)
            for row in arrived
            if (words := self._words(row)) is not None
        ]
        rows = {row.key: row for row in await store.outbox.latest(self._chat.id)}
        for key in self._cards:
            if key not in rows and (row := await store.outbox.row(key)) is not None:
                rows[key] = row
        told = [_seen(row, old=row.id <= shown) for row in rows.values() if _stands(row)]
        seen = sorted([*said, *told], key=lambda one: one[0])
        for one in seen:
            await self._show(visit, one)
        # What is not looked at again need not be known, so a long view stays small.
        ids = {one[1] for one in seen}
        self._shown = {id: version for id, version in self._shown.items() if id in ids}
        self._newest = max((row.id for row in arrived), default=self._newest)

    async def _show(self, visit: Visit, seen: _Seen) -> None:
        _, id, version, content, old = seen
        if self._shown.get(id) == version:
            return
        with suppress(ContentRefused):  # a frame takes only so much
            await visit.mirror(id, version, Piece(dataclasses.asdict(content)), old=old)
        self._shown[id] = version

    def _words(self, row: InboundRow) -> Outbound | None:
        """Returns what the person wrote on the platform; None for what was written in a terminal.

        Words that are kept no longer, such as those that a card asked for, stand on the card.
        """
        channel = self._running.application.parts.world.channels.get(row.channel)
        if channel is None or row.channel != self._chat.address.channel or not row.body:
            return None
        message = channel.parse(row.body)
        if not isinstance(message, InboundMessage):
            return None
        verb = "changed a message" if message.edited else "wrote" if message.text else "sent"
        if message.forwarded_from is not None:
            verb = f"forwarded from {plain_name(message.forwarded_from)}"
        files = "".join(f"\n📎 {_called(attachment)}" for attachment in message.attachments)
        said = f"📱 You {verb} in {self.title}: {f'{message.text}{files}'.lstrip()}"
        return Outbound(OutboundKind.NOTICE, (Plain(said),))


def _called(attachment: Attachment) -> str:
    return plain_name(attachment.name) if attachment.name else attachment.kind


def _sender_at(private: Address) -> Sender:
    """Returns the account of a private chat: both have the same number."""
    return Sender(private.channel, private.chat, "")


def _stands(row: OutboxRow) -> bool:
    """Returns True for a message whose wanted content is on the platform's screen."""
    there = bool(row.message_ids) and row.shown_version == row.version
    return there and row.content.kind not in VANISHING and not row.key.startswith(ECHOES)


def _seen(row: OutboxRow, *, old: bool) -> _Seen:
    return row.created_at, _id(row), row.shown_version, row.content, old


def _id(row: OutboxRow) -> str:
    """Returns the platform's id of the message, or of its last part, which has the buttons."""
    return row.message_ids[-1]
