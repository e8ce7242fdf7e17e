"""One connection of a server, bounded before its request is understood."""

import asyncio
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

HEAD_SECONDS = 5.0
"""Seconds in which the head of a request must have come, counted anew for each request."""

AT_ONCE = 256
"""Connections of one server, unless it is given another number.

Above them the one gives way that is silent for longest.
"""

MOST_PIECES = 2_000
"""Pieces in which the body of a request may come: each costs the loop the same, however short."""

SEND_SECONDS = 20.0
"""Seconds in which a caller goes on reading an answer; one that does not is let go."""

LAST_SECONDS = 0.7
"""Seconds that calls under way have when the server ends."""

PACKET_BYTES, MOST_IN_PACKETS = 1_024, 24_000_000
"""A body up to so many bytes may come in more pieces if they have the length of packets.

A proxy passes on what a phone sends as it comes.
"""


class BoundedProtocol(H11Protocol):
    """A connection that is closed when it says nothing whole for long, or dribbles.

    A port is shared, so whoever opens connections and is silent must not keep others out. The
    server counts its connections, so each port has bounds of its own.
    """

    def __init__(self, *told: Any, **named: Any) -> None:
        super().__init__(*told, **named)
        self._patience: asyncio.TimerHandle | None = None
        self._since = 0.0
        self._pieces = self._bytes = 0
        self._unread: asyncio.TimerHandle | None = None
        self._next = self.conn.next_event
        self.conn.next_event = self._counted

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self._wait()
        others = (one for one in self.connections if isinstance(one, BoundedProtocol))
        silent = [one for one in others if one.silent and not one.transport.is_closing()]
        if len(self.connections) >= (self.config.limit_concurrency or AT_ONCE) and silent:
            min(silent, key=lambda one: one.since).give_up()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_waiting()
        self._read()
        super().connection_lost(exc)

    def pause_writing(self) -> None:
        super().pause_writing()
        self._since = self.loop.time()
        self._unread = self.loop.call_later(SEND_SECONDS, self.give_up)

    def resume_writing(self) -> None:
        self._read()
        super().resume_writing()

    def shutdown(self) -> None:
        super().shutdown()
        # Whoever sends or reads too slowly does not hold up the end.
        self.loop.call_later(LAST_SECONDS, self.transport.abort)

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if self.idle and self._patience is None and not self.transport.is_closing():
            self._wait()

    @property
    def idle(self) -> bool:
        """Tells if no request is under way."""
        return self.cycle is None or self.cycle.response_complete

    @property
    def silent(self) -> bool:
        """Tells if the caller neither asks for anything nor reads what they asked for."""
        return self.idle or self._unread is not None

    @property
    def since(self) -> float:
        """Returns the time since which it has been silent."""
        return self._since

    def give_up(self) -> None:
        """Closes the connection without a word."""
        self._stop_waiting()
        self.transport.abort()

    def _counted(self) -> Any:
        """Returns the next event of the connection, which ends when there are too many."""
        event = self._next()
        if isinstance(event, h11.Request):
            self._stop_waiting()
            self._pieces = self._bytes = 0
        elif isinstance(event, h11.Data):
            self._pieces += 1
            self._bytes += len(event.data)
            packets = self._pieces * PACKET_BYTES <= self._bytes <= MOST_IN_PACKETS
            if self._pieces > MOST_PIECES and not packets:
                self.transport.abort()
                return h11.NEED_DATA
        return event

    def _wait(self) -> None:
        self._stop_waiting()
        self._since = self.loop.time()
        self._patience = self.loop.call_later(HEAD_SECONDS, self.give_up)

    def _stop_waiting(self) -> None:
        if self._patience is not None:
            self._patience.cancel()
            self._patience = None

    def _read(self) -> None:
        if self._unread is not None:
            self._unread.cancel()
            self._unread = None
