"""Fragments of messages on their way in: those behind their call, and those before it."""

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field

from bot.domain.budget import BundleBounds
from bot.domain.bundle import Bundle, Seam, belong, bundle, continued, fits, seam_of
from bot.domain.message import InboundMessage
from bot.flow.reading.row_reader import RowReader
from bot.ports.clock import Clock
from bot.ports.inbox import InboundRow, Inbox

_MOST_ENDS = 1024
"""Senders of whom is known how their newest message ended."""

_MOST_EARLY = 200
"""Fragments that are left as they are for a moment; more are what they are at once."""

_RECALLED = 200
"""Updates of an earlier life in which the ends of messages are looked for."""


@dataclass(frozen=True, slots=True)
class _End:
    """Where the newest message of a sender ends, and whether it was taken or declined."""

    seam: Seam
    taken: bool


@dataclass(slots=True)
class _Early:
    """Fragments of one sender that nobody called the bot for yet, and how long they stay so."""

    due: float = 0.0
    rows: dict[int, tuple[InboundRow, InboundMessage]] = field(
        default_factory=dict[int, tuple[InboundRow, InboundMessage]]
    )


class Seams:
    """Knows of each sender in each chat how their newest message ended.

    A fragment of a group's message is left as a new update for a moment when it does not call the
    bot: one that comes after it may do so for all of them. A restart finds it new again.
    """

    def __init__(self, inbox: Inbox, rows: RowReader, clock: Clock, bounds: BundleBounds) -> None:
        self._inbox = inbox
        self._rows = rows
        self._clock = clock
        self._bounds = bounds
        self._recalled = False
        self._ends: OrderedDict[tuple[int, str], _End] = OrderedDict()
        self._early: dict[tuple[int, str], _Early] = {}
        self._early_of: dict[int, tuple[int, str]] = {}

    async def recall(self) -> None:
        """Reads once how the messages ended that an earlier life of the program took last."""
        if self._recalled:
            return
        for row in await self._inbox.last_taken(_RECALLED):
            message = self._rows.message(row)
            if message is not None and row.chat is not None:
                self.remember(row.chat, message)
        self._recalled = True

    def continues(self, chat: int, message: InboundMessage) -> bool:
        """Whether this goes on where the newest message of its sender in this chat ended."""
        return self._end(chat, message) is not None

    def declined(self, chat: int, message: InboundMessage) -> bool:
        """Whether it goes on with a message that was not taken."""
        end = self._end(chat, message)
        return end is not None and not end.taken

    def counts(self, chat: int, message: InboundMessage) -> bool:
        """Whether it is a message of its own, or more than one message may hold."""
        end = self._end(chat, message)
        return end is None or not fits(end.seam, Bundle((message,)), self._bounds)

    def remember(self, chat: int, message: InboundMessage, *, taken: bool = True) -> None:
        """Notes that the newest message of the sender ends here now."""
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
        """Leaves a fragment new for a moment; False when that is over, or too many are kept."""
        if row.id in self._early_of:
            self.forget([row])
            return False
        if len(self._early_of) >= _MOST_EARLY:
            return False
        key = chat, message.sender.key
        early = self._early.setdefault(key, _Early())
        early.due = self._clock.steady() + self._bounds.seconds
        early.rows[row.id] = row, message
        self._early_of[row.id] = key
        return True

    def before(
        self, chat: int, message: InboundMessage
    ) -> Sequence[tuple[InboundRow, InboundMessage]]:
        """Returns the kept fragments for which this one calls the bot: they are one message."""
        early = self._early.get((chat, message.sender.key))
        if early is None:
            return ()
        kept = list(early.rows.values())
        whole = bundle([message, *(one for _, one in kept)], self._bounds)
        return [(row, one) for row, one in kept if one in whole.messages]

    def forget(self, rows: Sequence[InboundRow]) -> None:
        """Keeps these no longer: they have found their place."""
        for row in rows:
            key = self._early_of.pop(row.id)
            early = self._early[key]
            del early.rows[row.id]
            if not early.rows:
                del self._early[key]

    @property
    def kept(self) -> int:
        return len(self._early_of)

    def keeps(self, row: InboundRow) -> bool:
        """Whether it is not to be routed yet."""
        key = self._early_of.get(row.id)
        return key is not None and self._clock.steady() < self._early[key].due

    def soonest(self) -> float | None:
        """Seconds until the moment of a kept fragment is over; None when there is none."""
        due = min((early.due for early in self._early.values()), default=None)
        return None if due is None else max(0.0, due - self._clock.steady())

    def _end(self, chat: int, message: InboundMessage) -> _End | None:
        end = self._ends.get((chat, message.sender.key))
        return end if end is not None and belong(end.seam, seam_of(message)) else None
