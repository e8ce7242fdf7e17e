"""Messages that may be on the screen though nobody has recorded them."""

from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager
from datetime import datetime, timedelta

from bot.domain.talk.errors import ChannelError, ChannelUnreachable
from bot.domain.talk.message import VANISHING, OutboundKind
from bot.ports.clock import Clock
from bot.ports.outbox import OutboxRow

_LONGEST_COMMIT = timedelta(seconds=5)
"""The longest time between the making of a row and the wake-up that this process gives for it."""


class Doubts:
    """Tells since when a message may stand unrecorded: its sending was cut in this run or before.

    Messages of a chat go one after another, and those about tool calls beside them. So of the rows
    that an earlier run or another process made, only the first of both kinds may have been sent:
    those from before `opened_at`, or from long before the chat was woken, in steady seconds. Where
    another process delivered a moment ago (`refused`), it may have sent ours.
    """

    def __init__(
        self, clock: Clock, opened_at: datetime, woken_at: float, refused: Callable[[], bool]
    ) -> None:
        self._clock = clock
        woken = clock.now() - timedelta(seconds=clock.steady() - woken_at)
        self._before = max(opened_at, woken - _LONGEST_COMMIT)
        self._refused = refused
        self._since: dict[int, datetime] = {}
        self._looked = False

    def look(self, rows: Iterable[OutboxRow]) -> None:
        """Takes the rows that a courier finds at its first look."""
        if self._looked:
            return
        self._looked = True
        kinds: set[bool] = set()
        for row in rows:
            calls = row.content.kind is OutboundKind.CALLS
            if row.content.kind in VANISHING or calls in kinds:
                continue
            kinds.add(calls)
            foreign = self._refused() or not row.ours
            if not row.shown_version and (foreign or row.created_at < self._before):
                self._since[row.id] = row.created_at

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
            if isinstance(fault, ChannelUnreachable) and fault.maybe_done:
                self._since.setdefault(row.id, began)
            raise
        except Exception:
            self._since.setdefault(row.id, began)
            raise
        self._since.pop(row.id, None)
