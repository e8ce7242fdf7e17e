"""Messages that may be on the screen though nobody has recorded them.

Few are sent and not recorded at a time, and to chats that the store knows. After a death all that
is owed to these chats is looked for before it is sent.
"""

import asyncio
from collections.abc import (
    AsyncGenerator,
    Awaitable,
    Callable,
    Collection,
    Generator,
    Iterable,
    Mapping,
)
from contextlib import asynccontextmanager, contextmanager
from datetime import datetime, timedelta

from bot.domain.talk.errors import (
    ChannelError,
    FloodWait,
    StoreError,
    StoreUnavailable,
)
from bot.domain.talk.message import VANISHING, OutboundKind
from bot.flow.delivery.flood_gate import before_sending
from bot.ports.channel import Channel
from bot.ports.clock import Clock
from bot.ports.outbox import OutboxRow, SendingNotes

MOST_UNRECORDED = 16
"""Messages that may be sent and not recorded at the same time, but for those with files."""

MOST_NOTED = 32
"""Chats that stay noted, those that were written to last: writing to them again costs no note.

Those to which a message may stand stay besides.
"""

_LONGEST_WAIT, _LOOK_SECONDS = 60.0, 0.25
"""Seconds that a message waits for the records of others, and between two looks at the store."""

OF_OLDER = 0
"""Stands in the place of a chat for all chats of versions that noted none."""

_BESIDE_OLDER = timedelta(days=1)
"""The time for which such a version may go on beside this one."""

_LONGEST_NOTE = 2.0
"""Seconds after which a note has met an outage: somebody else may have the chat by now."""

_LONGEST_COMMIT = timedelta(seconds=5)
"""The longest time between the making of a row and the wake-up that this process gives for it."""

CLOCKS_APART = timedelta(seconds=5)
"""The longest time by which the clocks of two machines may differ."""


class Unrecorded:
    """Knows the messages under way by their names, and whether the store `works`.

    Each of the channels with a gate asks it for room right before it sends. A chat is noted in the
    store before something is sent to it: what an earlier process has sent to others is recorded.
    """

    def __init__(
        self,
        clock: Clock,
        works: Callable[[], bool],
        channels: Mapping[str, Channel],
        notes: SendingNotes,
    ) -> None:
        self._clock = clock
        self._works = works
        self._store = notes
        self._begun: dict[str, int] = {}
        self._names: set[str] = set()
        self._free: set[str] = set()
        self._doubted: set[str] = set()
        self._changed = asyncio.Event()
        self._noting = {name for name, one in channels.items() if before_sending(one, self.trying)}
        # Those that were used last stand last.
        self._noted: dict[int, None] = {}
        self._wanted: dict[int, None] = {}
        self._left: Mapping[int, datetime] | None = None
        self._notes = asyncio.Lock()

    def begin(self, row: OutboxRow, name: str) -> None:
        """Names a message that is about to be sent; one with files takes long and delays none."""
        self._begun[name] = row.chat
        if row.content.files:
            self._free.add(name)

    @asynccontextmanager
    async def trying(self, name: str) -> AsyncGenerator[None]:
        """Waits for room; a message that was told to come later leaves its room to others."""
        await self._room(name)
        try:
            yield
        except FloodWait:
            self._names.discard(name)
            self._changed.set()
            raise

    async def _room(self, name: str) -> None:
        """Waits right before a message is sent until its record can be stored, a minute at most.

        Raises StoreUnavailable when it waited for the store: another process may deliver by now.
        """
        chat = self._begun.get(name)
        if chat is None:
            # What has no row is told in spite of the store.
            return
        until, away = self._clock.steady() + _LONGEST_WAIT, False
        while not self._works() or not self._has_room(name):
            if self._clock.steady() >= until:
                break
            away |= not self._works()
            self._changed.clear()
            await self._clock.until(self._changed, _LOOK_SECONDS)
        if away and self._works():
            raise StoreUnavailable("the database was away")
        self._names.add(name)
        began = self._clock.steady()
        try:
            await self._note(chat)
            if self._clock.steady() > began + _LONGEST_NOTE:
                raise StoreUnavailable("the note of a chat took long")
        except BaseException:
            self._names.discard(name)
            raise

    def _has_room(self, name: str) -> bool:
        others = len(self._names - self._free - {name})
        return name in self._free or others < MOST_UNRECORDED

    def over(self, name: str) -> None:
        """Forgets a message that is recorded, or was not sent."""
        self._begun.pop(name, None)
        self._names.discard(name)
        self._free.discard(name)
        self._doubted.discard(name)
        self._changed.set()

    def doubt(self, name: str) -> None:
        """Keeps the chat of a message noted that may stand; no other message waits for it."""
        if name in self._names:
            self._doubted.add(name)
            self._names.discard(name)
            self._changed.set()
        elif name not in self._doubted:
            self.over(name)

    async def _note(self, chat: int) -> None:
        """Notes a chat; all chats that wait for it at the same time are one change."""
        self._wanted[chat] = None
        try:
            async with self._notes:
                if chat not in self._noted:
                    fresh = [one for one in self._wanted if one not in self._noted]
                    await self._change(fresh)
        finally:
            self._wanted.pop(chat, None)
        self._noted[chat] = self._noted.pop(chat, None)

    async def _change(self, fresh: Collection[int]) -> None:
        in_use = {self._begun[name] for name in self._names | self._doubted if name in self._begun}
        idle = [chat for chat in self._noted if chat not in in_use]
        gone = idle[: max(0, len(self._noted) + len(fresh) - MOST_NOTED)]
        # What is not noted for sure is noted again.
        for chat in gone:
            del self._noted[chat]
        await self._store.note_sending(fresh, gone, self._clock.now())
        self._noted |= dict.fromkeys(fresh)

    def look_again(self) -> None:
        """Forgets which chats another process has noted: it may have noted more."""
        self._left = None

    async def gain(self, owed: Iterable[int]) -> None:
        """Begins anew behind another process; its notes of chats to which nothing is owed go."""
        self._noted.clear()
        self._left = None
        left = await self._store.noted_sending()
        async with self._notes:
            over = {*left} - {OF_OLDER, *owed} - {*self._noted} - {*self._wanted}
            if over:
                await self._store.note_sending((), sorted(over), self._clock.now())

    async def may_stand(self, row: OutboxRow) -> datetime | None:
        """Returns since when a row that nobody has recorded may stand; None where it cannot."""
        if row.address.channel not in self._noting:
            return row.created_at
        if await self.beside_older(row):
            return row.created_at
        noted = (await self._known()).get(row.chat)
        return None if noted is None else max(row.created_at, noted - CLOCKS_APART)

    async def beside_older(self, row: OutboxRow) -> bool:
        """Returns True for a row that a version from before the notes may have sent."""
        older = (await self._known()).get(OF_OLDER)
        return older is not None and row.created_at < older + _BESIDE_OLDER

    async def _known(self) -> Mapping[int, datetime]:
        if self._left is None:
            self._left = await self._store.noted_sending()
        return self._left


class Doubts:
    """Tells since when a message may stand unrecorded: its sending was cut in this run or before.

    Messages of a chat go one after another, and those about tool calls beside them. So of the rows
    that an earlier run or another process made, only the first of both kinds may have been sent:
    those from before `opened_at`, or from long before the chat was woken, in steady seconds. Where
    another process delivered a moment ago (`refused`), it may have sent ours. Since `alone_since`
    this process alone has sent, whoever made the row. `may_stand` tells since when, as its chat
    is noted before something is sent to it.
    """

    def __init__(
        self,
        clock: Clock,
        opened_at: datetime,
        alone_since: Callable[[], datetime],
        woken_at: float,
        refused: Callable[[], bool],
        may_stand: Callable[[OutboxRow], Awaitable[datetime | None]],
        beside_older: Callable[[OutboxRow], Awaitable[bool]],
    ) -> None:
        self._clock = clock
        woken = clock.now() - timedelta(seconds=clock.steady() - woken_at)
        self._before = max(opened_at, woken - _LONGEST_COMMIT)
        self._alone_since = alone_since
        self._refused = refused
        self._may_stand = may_stand
        self._beside_older = beside_older
        self._since: dict[int, datetime] = {}
        self._looked: datetime | None = None
        self._given_over: datetime | None = None

    async def look(self, rows: Iterable[OutboxRow]) -> None:
        """Takes the rows that a courier finds at its first look, and after a change of the post."""
        alone_since = self._alone_since()
        if self._looked == alone_since:
            return
        if self._refused():
            # A version that knows no posts delivers beside the process that has the post.
            self._given_over = self._clock.now()
        kinds: set[bool] = set()
        for row in rows:
            calls = row.content.kind is OutboundKind.CALLS
            if row.content.kind in VANISHING or calls in kinds:
                continue
            kinds.add(calls)
            # An older version knows no posts, and delivers beside the process that has the post.
            older = not row.ours and await self._beside_older(row)
            others = not row.ours and row.created_at < alone_since + CLOCKS_APART
            foreign = self._refused() or others or older
            earlier = not row.shown_version and (foreign or row.created_at < self._before)
            if earlier and (since := await self._may_stand(row)) is not None:
                self._since.setdefault(row.id, since)
                if older:
                    # It may have ended a moment ago, and refuses nothing any more.
                    self._given_over = self._clock.now()
        self._looked = alone_since

    @property
    def until(self) -> datetime:
        """The time until which another process may have sent to the chat."""
        alone_since = self._alone_since()
        return alone_since if self._given_over is None else max(alone_since, self._given_over)

    def since(self, row: OutboxRow) -> datetime | None:
        return self._since.get(row.id)

    def not_found(self, row: OutboxRow) -> None:
        """Ends the doubt about a message: it does not stand; a later one is about its next try."""
        self._since.pop(row.id, None)

    @contextmanager
    def sending(self, row: OutboxRow) -> Generator[None]:
        """Doubts a message whose sending, in this block, neither succeeds nor is refused."""
        began = self._clock.now()
        try:
            yield
        except ChannelError as fault:
            if fault.maybe_done:
                self._since.setdefault(row.id, began)
            raise
        except StoreError:
            # Nothing is sent before it may be.
            raise
        except Exception:
            self._since.setdefault(row.id, began)
            raise
        self._since.pop(row.id, None)
