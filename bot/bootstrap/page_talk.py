"""One conversation on the page: the rows of a chat, in the words of its templates."""

import secrets
from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import TypeAlias
from zoneinfo import ZoneInfo

from bot.adapters.web.mark import Mark
from bot.adapters.web.shown import ShownChat, ShownFile, ShownMessage
from bot.adapters.web.talks import Part, Seen, Stands
from bot.adapters.web.update import ON_THE_PAGE
from bot.bootstrap.opening import Running
from bot.domain.change import InboundState
from bot.domain.change.erasing import ECHOES
from bot.domain.clock.zones import Zones
from bot.domain.talk.chat import Chat
from bot.domain.talk.message import (
    VANISHING,
    Address,
    FileRef,
    InboundMessage,
    OutboundKind,
)
from bot.domain.talk.person import Person
from bot.domain.talk.session import PAGE
from bot.ports.inbox import InboundRow
from bot.ports.outbox import DeliveryState, OutboxRow
from bot.ports.turn_page import Reason

_PART = 40
"""Messages of one part of a conversation."""

WINDOW = 60
"""Newest messages of a chat that may change on an open page."""

_NEWEST = 2**62
_SLASH = "~"
_PICTURES = (".png", ".jpg", ".jpeg", ".gif", ".webp")


Title: TypeAlias = Callable[[Chat], Awaitable[str]]
"""Returns the title of a conversation."""


class PageTalk:
    """Reads a chat for one person, whose chat it is."""

    def __init__(
        self, running: Running, zones: Zones, chat: Chat, person: Person, title: Title
    ) -> None:
        self._running = running
        self._chat = chat
        self._person = person
        self._title = title
        self._zone = ZoneInfo(zones.of(person, chat))

    @property
    def key(self) -> str:
        return key_of(self._chat.address)

    @property
    def number(self) -> int:
        return self._chat.id

    @property
    def address(self) -> Address:
        return self._chat.address

    async def told(self) -> ShownChat:
        parts = self._running.application.parts
        folder = await parts.world.workspaces(self._chat, self._person)
        model = parts.rooms.models.choosing.model(self._chat.settings.model)
        title = await self._title(self._chat)
        return ShownChat(self.key, title, place_of(self.address), model, str(folder.path))

    async def part(self, before: str = "") -> Part:
        rows, end = self._running.store.page, Mark.read(before) or Mark(_NEWEST, _NEWEST)
        said = await rows.said(self._chat.id, end.said, _PART)
        shown = await rows.shown(self._chat.id, end.shown, max(_PART, WINDOW))
        told = [
            *((row.received_at, True, row.id, self._own(row)) for row in said),
            *[(row.created_at, False, row.id, await self._ours(row)) for row in shown],
        ]
        told.sort(key=lambda one: one[:3])
        kept = told[-_PART:]
        cut = Mark(
            min((id for _, own, id, _ in kept if own), default=end.said),
            min((id for _, own, id, _ in kept if not own), default=end.shown),
        )
        more = len(told) > len(kept) or len(said) == _PART or len(shown) >= _PART
        window = {row.id: version_of(row) for row in shown[:WINDOW]}
        has = Mark(max((row.id for row in said), default=0), max(window, default=0), window)
        messages = [message for *_, message in kept if message is not None]
        return Part(messages, str(cut) if more and kept else "", has.settled(window))

    async def news(self, mark: Mark) -> tuple[Sequence[Seen], Mapping[int, int]]:
        rows = self._running.store.page
        said = [
            row for row in await rows.said(self._chat.id, _NEWEST, WINDOW) if row.id > mark.said
        ]
        shown = await rows.shown(self._chat.id, _NEWEST, WINDOW)
        window = {row.id: version_of(row) for row in shown}
        new = [(row.received_at, row.id, Seen(row.id, True, 1)) for row in said]
        new += [
            (row.created_at, row.id, Seen(row.id, False, window[row.id]))
            for row in shown
            if window[row.id] and window[row.id] != mark.version(row.id)
        ]
        return [seen for *_, seen in sorted(new, key=lambda one: one[:2])], window

    async def message(self, seen: Seen) -> ShownMessage | None:
        store = self._running.store
        if seen.said:
            row = await store.inbox.get(seen.id)
            return None if row is None or row.chat != self._chat.id else self._own(row)
        shown = await store.page.message(seen.id)
        return None if shown is None or shown.chat != self._chat.id else await self._ours(shown)

    async def own_id(self, message: str) -> str:
        number = _number(message, "i")
        row = None if number is None else await self._running.store.inbox.get(number)
        if row is None or row.chat != self._chat.id:
            return ""
        return row.message_id or ""

    async def stands(self, message: str) -> Stands | None:
        number = _number(message, "o")
        row = None if number is None else await self._running.store.page.message(number)
        if row is None or row.chat != self._chat.id or not version_of(row):
            return None
        return Stands(row.message_ids[-1] if row.message_ids else "", row.content)

    def _own(self, row: InboundRow) -> ShownMessage | None:
        """Returns what the person wrote; None for a press, and for words that are kept no more."""
        channel = self._running.application.parts.world.channels.get(row.channel)
        message = channel.parse(row.body) if channel is not None and row.body else None
        if not isinstance(message, InboundMessage):
            return None
        files = tuple(ShownFile(one.name or one.kind, one.kind) for one in message.attachments)
        return ShownMessage(
            f"i{row.id}",
            1,
            own=True,
            name=self._person.name,
            at=self._local(row.received_at),
            once=secrets.token_hex(8),
            where=_where(row.channel, self.address.channel, edited=message.edited),
            text=message.text,
            files=files,
            outside=message.writer or "",
            editable=row.channel == PAGE and self.address.channel == PAGE and not message.edited,
            state="waiting" if row.state is InboundState.WAITING else "",
        )

    async def _ours(self, row: OutboxRow) -> ShownMessage | None:
        version = version_of(row)
        if not version:
            return None
        content = row.content
        files = tuple(_file(row.id, number, one) for number, one in enumerate(content.files))
        return ShownMessage(
            f"o{row.id}",
            version,
            own=False,
            name="Steward",
            at=self._local(row.created_at),
            once=secrets.token_hex(8),
            files=files,
            content=content,
            turn=row.about if content.kind is OutboundKind.ANSWER else "",
            reasons=await self._reasons(row) if content.buttons else (),
            press=bool(content.buttons),
        )

    async def _reasons(self, row: OutboxRow) -> tuple[Reason, ...]:
        if row.content.kind is not OutboundKind.CARD or row.content.decided:
            return ()
        return tuple(await self._running.application.parts.inspection.pages.cards.reasons(row.key))

    def _local(self, at: datetime) -> datetime:
        return at.astimezone(self._zone)


def _number(message: str, kind: str) -> int | None:
    """Returns the number of a row by the name of its element; None for any other name."""
    number = message.removeprefix(kind)
    plain = number != message and number.isascii() and number.isdecimal() and len(number) <= 18
    return int(number) if plain else None


def version_of(row: OutboxRow) -> int:
    """Returns the version of a message that pages show; 0 for one that they do not show.

    What is stored for the page is on it. Elsewhere a message stands once its platform has it: so
    both have one order, and a card is pressed only where it is shown whole.
    """
    if row.content.kind in VANISHING or row.key.startswith(ECHOES):
        return 0
    if row.state is DeliveryState.DEAD:
        return 0
    if row.address.channel == PAGE:
        return row.version
    there = bool(row.message_ids) and row.shown_version == row.version
    return row.shown_version if there else 0


def key_of(address: Address) -> str:
    """Returns the name of a chat in addresses of the page, where a slash parts other things."""
    return address.key.replace("/", _SLASH)


def address_of(key: str) -> Address:
    """Returns the chat that such a name means."""
    return Address.from_key(key.replace(_SLASH, "/"))


def place_of(address: Address) -> str:
    """Returns the platform of a chat as people read it; empty for the page itself."""
    return "" if address.channel == PAGE else address.channel.capitalize()


def _where(channel: str, home: str, *, edited: bool) -> str:
    if edited:
        return "changed"
    if channel == PAGE:
        return "" if home == PAGE else ON_THE_PAGE
    return "in the terminal" if channel == "terminal" else f"on {channel.capitalize()}"


def _file(row: int, number: int, file: FileRef) -> ShownFile:
    there = file.text is not None or Path(file.path).is_file()
    picture = file.name.lower().endswith(_PICTURES) and file.text is None
    href = f"/file/{row}/{number}" if there else ""
    return ShownFile(file.name, file.caption, href, picture)
