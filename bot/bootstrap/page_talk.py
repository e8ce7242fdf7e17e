"""One conversation on the page: the rows of a chat, in the words of its templates."""

import secrets
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import TypeAlias
from zoneinfo import ZoneInfo

from bot.adapters.sql.page_rows import Took
from bot.adapters.web.channel import PASSING
from bot.adapters.web.mark import Mark
from bot.adapters.web.shown import OpenableTalk, ShownChat, ShownMessage
from bot.adapters.web.talks import Erased, Looked, Part, Seen, Stands
from bot.adapters.web.uploads import Uploads
from bot.bootstrap.opening import Running
from bot.bootstrap.own_messages import OwnMessage, own_messages
from bot.bootstrap.page_rows_told import (
    figures_of,
    file_of,
    key_of,
    place_of,
    sent_file,
    title_of,
    version_of,
    where_of,
)
from bot.bootstrap.words_of_log import words_of_log
from bot.domain.change.erasing import CONVERSATION, EVERYTHING, MARKED
from bot.domain.clock.zones import Zones
from bot.domain.talk.chat import Chat
from bot.domain.talk.message import (
    VANISHING,
    Address,
    OutboundKind,
)
from bot.domain.talk.person import Person
from bot.domain.talk.session import PAGE
from bot.domain.value import frozen, replace
from bot.flow.reading.row_reader import RowReader
from bot.ports.card_page import AskedCard
from bot.ports.inbox import InboundRow
from bot.ports.outbox import OutboxRow
from bot.ports.reading_pages import ReadingPages
from bot.ports.view_page import SeenNow

_PART = 40
"""Messages of one part of a conversation."""

WINDOW = 60
"""Newest messages of a chat that may change on an open page."""

_MOST_WAITING = 20
"""Waiting messages of a person of which an open page learns that they wait no more."""

_MOST_OPEN = 100
"""Oldest open cards of everybody among which those that an owner decides here are looked for."""

_MOST_PAST = 20
"""Cards and plans above the newest messages of which an open page learns that they changed."""

_FOLDED = 2_000
"""Newest entries of a conversation that are folded into its view: older ones are in a summary."""

_OPENABLE = 8
"""Conversations of one chat that a page offers to open again; a command lists all."""

_UNNAMED = "Nothing said yet"
_NEWEST = 10**18 - 1
"""Stands for the end of a chat: the greatest number that the name of a part may have."""


Title: TypeAlias = Callable[[Chat], Awaitable[str]]
"""Returns the title of a conversation."""

_LONG = timedelta(days=1)
"""The time before its first message in which an answer of a part may have begun."""


@frozen
class _Stand:
    """The things that count for all messages of a part."""

    planned: bool
    """True while a plan is open: nothing is answered anew until it has ended."""
    restarted: bool
    """True when the program stopped while one of its answers may have been made."""
    took: Mapping[str, Took]
    """The work, tokens and cost of each of its answers, by turn."""


class PageTalk:
    """Reads a chat for one person, whose chat it is."""

    def __init__(
        self,
        running: Running,
        zones: Zones,
        uploads: Uploads,
        chat: Chat,
        person: Person,
        title: Title,
    ) -> None:
        self._running = running
        self._uploads = uploads
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

    async def in_view(self) -> SeenNow:
        last = await self._running.store.page.last_entry(self._chat.conversation)
        after = max(0, last - _FOLDED)
        return await self._reading.views.view(self._person, self._chat, after)

    async def openable(self) -> Sequence[OpenableTalk]:
        found = await self._running.store.chats.listed(self._chat.id, _OPENABLE)
        return [
            OpenableTalk(id, title_of(one) or _UNNAMED, id == self._chat.conversation)
            for one in found
            for id in (one.conversation.id,)
        ]

    @property
    def _reading(self) -> ReadingPages:
        return self._running.application.parts.inspection.pages

    async def answering(self) -> bool:
        return (await self._running.store.journal.agenda(self._chat.id)).busy

    async def line(self) -> int:
        return await self._running.store.page.line()

    async def erased(self, line: int) -> Erased:
        found = await self._running.store.page.erased(self._person.id, line)
        whole = {(self.number, CONVERSATION)} | {(chat, EVERYTHING) for chat, _ in found}
        return "" if not found else "words" if whole.isdisjoint(found) else "all"

    async def part(self, before: str = "") -> Part:
        rows, end = self._running.store.page, Mark.read(before) or Mark(_NEWEST, _NEWEST)
        said = await rows.said(self._chat.id, end.said, _PART)
        shown = await rows.shown(self._chat.id, end.shown, max(_PART, WINDOW))
        own, stand = await self._own_among(said), await self._stand(shown)
        told = [
            *((one.row.received_at, True, one.row.id, self._own(one, stand)) for one in own),
            *[(row.created_at, False, row.id, await self._ours(row, stand)) for row in shown],
        ]
        told.sort(key=lambda one: one[:3])
        kept = told[-_PART:]
        cut = Mark(
            min((id for _, own, id, _ in kept if own), default=end.said),
            min((id for _, own, id, _ in kept if not own), default=end.shown),
        )
        more = len(told) > len(kept) or len(said) == _PART or len(shown) >= _PART
        window = {row.id: version_of(row) for row in shown[:WINDOW]}
        waits = {one.row.id: one.waits for one in own[:_MOST_WAITING] if one.waits}
        newest = max((row.id for row in said), default=0)
        asking = _asking(shown[:WINDOW])
        if not before and len(shown) >= WINDOW:
            for row in await self._asking_above(shown[WINDOW - 1].id):
                window[row.id] = version_of(row)
                asking |= {row.id}
        has = Mark(newest, max(window, default=0), window, waits)
        messages = [message for *_, message in kept if message is not None]
        return Part(messages, str(cut) if more and kept else "", has.settled(window, asking))

    async def _asking_above(self, below: int) -> Sequence[OutboxRow]:
        """Returns the messages of open cards and plans that are older than a row, newest first."""
        store, number = self._running.store, self.number
        cards, plan = await store.approvals.open_in(number), await store.plans.live(number)
        # Those of others that owners decide stand in the chats of owners as well.
        others = await store.records.open(None, None, _MOST_OPEN) if self._person.is_owner else ()
        known = (*cards, *others, *(() if plan is None else (plan,)))
        keys = dict.fromkeys(one.key_in(number) for one in known if number in one.chats)
        rows = await store.page.named([*keys])
        return [row for row in rows if row.id < below][:_MOST_PAST]

    async def news(self, mark: Mark) -> tuple[Sequence[Seen], Looked]:
        rows = self._running.store.page
        said = await rows.said(self._chat.id, _NEWEST, WINDOW)
        shown = await rows.shown(self._chat.id, _NEWEST, WINDOW)
        oldest = shown[-1].id if shown else _NEWEST
        above = [id for id in mark.versions if id < oldest]
        past = await rows.numbered(self._chat.id, above) if above else ()
        every = [*shown, *past]
        window = {row.id: version_of(row) for row in every}
        erased = any(_is_erased(row) and window[row.id] != mark.version(row.id) for row in shown)
        # Reading what was said costs more than all the rest, and most looks find nothing of it.
        read = erased or mark.waits or any(row.id > mark.said for row in said)
        own = await self._own_among(said) if read else ()
        new = [
            (one.newest.received_at, one.newest.id, _said(one))
            for one in own
            if max(one.row.id, one.newest.id) > mark.said
            or mark.waits.get(one.row.id, one.waits) != one.waits
        ]
        there = {one.row.id for one in own}
        left = [id for id in mark.waits if id not in there]
        if erased:
            # Words of the person went with it, and an open page may still show them.
            left += [row.id for row in said if row.id <= mark.said and row.id not in there]
        gone = [Seen(id, True, 0, id, gone=True) for id in dict.fromkeys(left)]
        new += [
            (row.created_at, row.id, _shown(row, window[row.id], past=row.id < oldest))
            for row in every
            if window[row.id] != mark.version(row.id) and (window[row.id] or _vanishes(row))
        ]
        new.sort(key=lambda one: one[:2])
        asking, cards = _asking(every), [row.id for row in past if _is_card(row)]
        # A decided one changes again when its work is done.
        first = sorted(cards, key=lambda id: (id in asking, id), reverse=True)
        kept = frozenset(first[:_MOST_PAST])
        # What is decided and far up leaves the mark: else it would only grow, until it is too long.
        looked_at = {id: n for id, n in window.items() if id >= oldest or id in kept}
        looked = Looked(looked_at, _asking(shown) | kept, kept)
        return [*gone, *(seen for *_, seen in new)], looked

    async def message(self, seen: Seen) -> ShownMessage | None:
        store = self._running.store
        if seen.said:
            ids = dict.fromkeys((seen.newest, seen.id))
            rows = [row for id in ids if (row := await store.inbox.get(id)) is not None]
            own = await self._own_among([row for row in rows if row.chat == self._chat.id])
            return self._own(own[-1], await self._stand(())) if own else None
        shown = await store.page.message(seen.id)
        if shown is None or shown.chat != self._chat.id:
            return None
        return await self._ours(shown, await self._stand((shown,)))

    async def own_id(self, message: str) -> str:
        number = _number(message, "i")
        row = None if number is None else await self._running.store.inbox.get(number)
        if row is None or row.chat != self._chat.id:
            return ""
        return row.message_id or ""

    async def stands(self, message: str) -> Stands | None:
        number = _number(message, "o")
        row = None if number is None else await self._running.store.page.message(number)
        if row is None or row.chat != self._chat.id or not version_of(row) or _is_erased(row):
            return None
        return Stands(row.message_ids[-1] if row.message_ids else "", row.content)

    async def _own_among(self, rows: Sequence[InboundRow]) -> Sequence[OwnMessage]:
        """Returns what the person wrote, without presses; old words come from the log."""
        channels = self._running.application.parts.world.channels
        of_log = await words_of_log(rows, self._running.store.page, self.address)
        read = RowReader(channels).message
        kept = [row for row in rows if row.body or row.id in of_log]
        return own_messages(kept, lambda row: of_log.get(row.id) or read(row))

    async def _stand(self, shown: Sequence[OutboxRow]) -> _Stand:
        store, times = self._running.store, [row.created_at for row in shown]
        planned = await store.plans.live(self._chat.id) is not None
        restarted = bool(times) and await self._restarted(min(times), max(times))
        return _Stand(planned, restarted, await self._took(shown))

    async def _took(self, shown: Sequence[OutboxRow]) -> Mapping[str, Took]:
        """Returns what answers took; nothing where a switch has it said below each."""
        if self._chat.settings.footer:
            return {}
        return await self._running.store.page.took(
            {row.about for row in shown if row.content.kind is OutboundKind.ANSWER and row.about}
        )

    async def _restarted(self, first: datetime, last: datetime) -> bool:
        return await self._reading.turns.restarted(self.number, first - _LONG, last)

    def _own(self, one: OwnMessage, stand: _Stand) -> ShownMessage:
        row, message, waits = one.row, one.message, one.waits > 0
        files = tuple(
            sent_file(one.newest.id, number, file, self._uploads.place_of(file))
            for number, file in enumerate(message.attachments)
        )
        on_page = row.channel == PAGE and self.address.channel == PAGE
        return ShownMessage(
            f"i{row.id}",
            1,
            own=True,
            name=self._person.name,
            at=self._local(row.received_at),
            once=secrets.token_hex(8),
            where=where_of(row.channel, self.address.channel, edited=message.edited),
            text=message.text,
            files=files,
            outside=message.writer or "",
            editable=on_page and not message.text.startswith("/") and (waits or not stand.planned),
            state="waiting" if waits else "",
        )

    async def _ours(self, row: OutboxRow, stand: _Stand) -> ShownMessage | None:
        version = version_of(row)
        if not version:
            return None
        content = row.content
        asked = await self._asked(row)
        files = tuple(file_of(row.id, number, one) for number, one in enumerate(content.files))
        turn = row.about if content.kind is OutboundKind.ANSWER else ""
        look = turn and stand.restarted
        cut_off = await self._reading.turns.cut_off(turn, row.created_at) if look else False
        return ShownMessage(
            f"o{row.id}",
            version,
            own=False,
            name="Steward",
            at=self._local(row.created_at),
            once=secrets.token_hex(8),
            files=files,
            content=content,
            turn=turn,
            figures=figures_of(stand.took.get(turn)),
            reasons=asked.reasons,
            until=asked.until,
            decided_by=asked.by,
            decided_at=asked.at,
            press=bool(content.buttons),
            anew=not stand.planned,
            cut_off=cut_off,
        )

    async def _asked(self, row: OutboxRow) -> AskedCard:
        if row.content.kind is not OutboundKind.CARD:
            return AskedCard()
        asked = await self._reading.cards.asked(row.key, self._person)
        until, at = asked.until, asked.at
        return replace(asked, until=until and self._local(until), at=at and self._local(at))

    def _local(self, at: datetime) -> datetime:
        return at.astimezone(self._zone)


def _said(one: OwnMessage) -> Seen:
    return Seen(one.row.id, True, one.waits, max(one.row.id, one.newest.id))


def _shown(row: OutboxRow, version: int, *, past: bool) -> Seen:
    passing = row.content.kind in PASSING or past
    return Seen(row.id, False, version, gone=not version, settles=not passing, past=past)


def _asking(rows: Iterable[OutboxRow]) -> frozenset[int]:
    """Returns the messages whose buttons wait for a person, or for the end of a plan."""
    cards = ((row.id, row.content) for row in rows if _is_card(row))
    return frozenset(id for id, content in cards if content.buttons and not content.decided)


def _is_card(row: OutboxRow) -> bool:
    return row.content.kind is OutboundKind.CARD


def _is_erased(row: OutboxRow) -> bool:
    return any(MARKED in block.text for block in row.content.blocks)


def _vanishes(row: OutboxRow) -> bool:
    return row.content.kind in VANISHING


def _number(message: str, kind: str) -> int | None:
    """Returns the number of a row by the name of its element; None for any other name."""
    number = message.removeprefix(kind)
    plain = number != message and number.isascii() and number.isdecimal() and len(number) <= 18
    return int(number) if plain else None
