"""Recognises fragments of messages as they come in: after the one that calls the bot, or before."""

import asyncio
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field

from bot.domain.talk.bundle import Bundle, Seam, belong, bundle, continued, fits, seam_of
from bot.domain.talk.limits import BundleBounds
from bot.domain.talk.message import InboundMessage
from bot.domain.value import frozen
from bot.flow.reading.row_reader import RowReader
from bot.ports.clock import Clock
from bot.ports.inbox import Accepting, InboundRow

_MOST_ENDS = 1024
"""The most senders whose newest message is remembered."""

_MOST_EARLY = 200
"""The most fragments that are kept for a moment; one more is routed at once."""

_RECALLED = 200
"""Updates from before the start that are read to learn the ends of messages."""


@frozen
class _End:
    """The end of a sender's newest message; `taken` is False when it was declined."""

    seam: Seam
    taken: bool


@dataclass(slots=True)
class _Early:
    """Kept fragments of one sender that do not call the bot; `due` is when they are routed.

    `over` is true once somebody was told that they are due.
    """

    due: float = 0.0
    over: bool = False
    rows: dict[int, tuple[InboundRow, InboundMessage]] = field(
        default_factory=dict[int, tuple[InboundRow, InboundMessage]]
    )


class Seams:
    """Remembers the end of the newest message of each sender in each chat.

    In a group, a fragment that does not call the bot stays a new update for a moment, because a
    later fragment may call the bot for all of them. After a restart it is still new.
    """

    def __init__(
        self, inbox: Accepting, rows: RowReader, clock: Clock, bounds: BundleBounds
    ) -> None:
        self._inbox = inbox
        self._rows = rows
        self._clock = clock
        self._bounds = bounds
        self._recalled = False
        self._ends: OrderedDict[tuple[int, str], _End] = OrderedDict()
        self._early: dict[tuple[int, str], _Early] = {}
        self._early_of: dict[int, tuple[int, str]] = {}
        self._kept_anew = asyncio.Event()

    async def recall(self) -> None:
        """Reads, once, the ends of the messages that were taken last before the program started."""
        if self._recalled:
            return
        for row in await self._inbox.last_taken(_RECALLED):
            message = self._rows.message(row)
            if message is not None and row.chat is not None:
                self.remember(row.chat, message)
        self._recalled = True

    def continues(self, chat: int, message: InboundMessage) -> bool:
        """Returns True when this continues the newest message of its sender in this chat."""
        return self._end(chat, message) is not None

    def continued_by(self, message: InboundMessage) -> Sequence[int]:
        """Returns the chats whose newest message of the sender this continues, the latest first."""
        found = [
            (end.seam.number, chat)
            for (chat, sender), end in self._ends.items()
            if sender == message.sender.key and belong(end.seam, seam_of(message))
        ]
        return [chat for _, chat in sorted(found, reverse=True)]

    def carry_over(self, chat: int, to: int, message: InboundMessage) -> None:
        """Has the kept fragments of a sender go to another chat, with the message behind them."""
        old, new = (chat, message.sender.key), (to, message.sender.key)
        early = self._early.pop(old, None)
        if early is not None:
            self._early[new] = early
            self._early_of |= dict.fromkeys(early.rows, new)

    def declined(self, chat: int, message: InboundMessage) -> bool:
        """Returns True when this continues a message that was declined."""
        end = self._end(chat, message)
        return end is not None and not end.taken

    def counts(self, chat: int, message: InboundMessage) -> bool:
        """Returns True when this counts in the pace: it continues no message, or a full one."""
        end = self._end(chat, message)
        return end is None or not fits(end.seam, Bundle((message,)), self._bounds)

    def remember(self, chat: int, message: InboundMessage, *, taken: bool = True) -> None:
        """Notes this as the end of the sender's newest message."""
        end = self._end(chat, message)
        before = None if end is None or self.counts(chat, message) else end.seam
        seam = continued(before, seam_of(message))
        if seam is None:
            return
        key = chat, message.sender.key
        self._ends[key] = _End(seam, taken)
        self._ends.move_to_end(key)
        while len(self._ends) > _MOST_ENDS:
            self._ends.popitem(last=False)

    def keep(self, row: InboundRow, chat: int, message: InboundMessage) -> bool:
        """Keeps a fragment for a moment; returns False when that is over or too many are kept."""
        if row.id in self._early_of:
            self.forget([row])
            return False
        if len(self._early_of) >= _MOST_EARLY:
            return False
        key = chat, message.sender.key
        early = self._early.setdefault(key, _Early())
        early.due = self._clock.steady() + self._bounds.seconds
        early.over = False
        self._kept_anew.set()
        early.rows[row.id] = row, message
        self._early_of[row.id] = key
        return True

    def before(
        self, chat: int, message: InboundMessage
    ) -> Sequence[tuple[InboundRow, InboundMessage]]:
        """Returns the kept fragments that are one message with this one, which calls the bot."""
        early = self._early.get((chat, message.sender.key))
        if early is None:
            return ()
        kept = list(early.rows.values())
        whole = bundle([message, *(one for _, one in kept)], self._bounds)
        return [(row, one) for row, one in kept if one in whole.messages]

    def forget(self, rows: Sequence[InboundRow]) -> None:
        """Stops keeping these rows: they are routed now."""
        for row in rows:
            key = self._early_of.pop(row.id)
            early = self._early[key]
            del early.rows[row.id]
            if not early.rows:
                del self._early[key]

    @property
    def kept(self) -> Sequence[int]:
        """Returns the rows that must not be routed yet."""
        now = self._clock.steady()
        return [id for id, key in self._early_of.items() if now < self._early[key].due]

    async def due(self) -> None:
        """Waits until a fragment has been kept long enough; each is waited for once."""
        while True:
            waiting = [early for early in self._early.values() if not early.over]
            if not waiting:
                self._kept_anew.clear()
                await self._kept_anew.wait()
                continue
            first = min(waiting, key=lambda early: early.due)
            left = first.due - self._clock.steady()
            if left <= 0:
                first.over = True
                return
            await self._clock.sleep(left)

    def _end(self, chat: int, message: InboundMessage) -> _End | None:
        end = self._ends.get((chat, message.sender.key))
        return end if end is not None and belong(end.seam, seam_of(message)) else None
