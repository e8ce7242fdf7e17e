"""Leaves to send, and the room that a rate has for them."""

from collections import deque
from dataclasses import dataclass

from bot.domain.talk.limits import Rate


@dataclass(slots=True, eq=False)
class Leave:
    """A permission to send one message; `ended_at` is None while the send is under way."""

    ended_at: float | None = None


class Window:
    """The newest sends under one rate: at most `count` of them in any span of `seconds`."""

    __slots__ = ("_rate", "_sent")

    def __init__(self, rate: Rate | None) -> None:
        self._rate = rate
        self._sent: deque[Leave] = deque(maxlen=rate.count if rate is not None else 0)

    def free_at(self, now: float) -> float:
        """Returns the earliest moment at which there may be room.

        A send that is under way has not ended before now: on a slow network it arrives late, and
        counts from then.
        """
        if self._rate is None or len(self._sent) < self._rate.count:
            return 0.0
        return min(_end(leave, now) for leave in self._sent) + self._rate.seconds

    def empty_at(self, now: float) -> float:
        """Returns the earliest moment at which nothing may count any more."""
        if self._rate is None or not self._sent:
            return 0.0
        return max(_end(leave, now) for leave in self._sent) + self._rate.seconds

    def crowded(self, now: float) -> bool:
        """Returns True when two thirds are used: the last third is for owed messages."""
        return self._rate is not None and 3 * self._used(now) >= 2 * self._rate.count

    def half_used(self, now: float) -> bool:
        """Returns True when half is used; a rate of one message has no half."""
        if self._rate is None or self._rate.count == 1:
            return False
        return 2 * self._used(now) >= self._rate.count

    def _used(self, now: float) -> int:
        if self._rate is None:
            return 0
        return sum(_end(leave, now) + self._rate.seconds > now for leave in self._sent)

    def take(self, leave: Leave, now: float) -> None:
        if self._rate is not None and len(self._sent) == self._rate.count:
            # Sends do not end in the order in which they began, so the oldest is found by its time.
            self._sent.remove(min(self._sent, key=lambda leave: _end(leave, now)))
        self._sent.append(leave)

    def fill(self, now: float) -> None:
        """Counts as many sends as may be, all of them now."""
        self._sent.extend(Leave(now) for _ in range(self._sent.maxlen or 0))


def _end(leave: Leave, now: float) -> float:
    return now if leave.ended_at is None else leave.ended_at


class Bucket:
    """A few sends at once, and then one in each interval; a pause fills it up again.

    A send takes its place out of the bucket until it has ended, and from then on the place comes
    back at the rate: wherever between its beginning and its end the platform counted it, the
    platform has at least as much room as the bucket.
    """

    __slots__ = ("_full_at", "_interval", "_places", "_under_way")

    def __init__(self, rate: Rate | None, places: int) -> None:
        self._interval = rate.seconds / rate.count if rate is not None else 0.0
        self._places = places
        self._full_at = 0.0
        self._under_way: list[Leave] = []

    def free_at(self, now: float) -> float:
        """Returns the earliest moment at which there may be a place."""
        if not self._interval:
            return 0.0
        self._settle()
        missing = len(self._under_way) - (self._places - 1)
        return max(self._full_at, now) + missing * self._interval

    def over_at(self, now: float) -> float:
        """Returns the earliest moment at which a send leaves a place for the next one.

        A bucket of one place cannot: there it is the moment at which the place is free.
        """
        if not self._interval:
            return 0.0
        self._settle()
        missing = len(self._under_way) - max(self._places - 2, 0)
        return max(self._full_at, now) + missing * self._interval

    def is_full(self, now: float) -> bool:
        """Returns True when every place is free: one may then be used without being missed."""
        self._settle()
        return not self._under_way and self._full_at <= now

    def take(self, leave: Leave) -> None:
        if self._interval:
            self._under_way.append(leave)

    def _settle(self) -> None:
        """Counts the sends that have ended since the last look, in the order of their ends."""
        ends = [leave.ended_at for leave in self._under_way if leave.ended_at is not None]
        if not ends:
            return
        for end in sorted(ends):
            self._full_at = max(self._full_at, end) + self._interval
        self._under_way = [leave for leave in self._under_way if leave.ended_at is None]
