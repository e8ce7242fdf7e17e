"""Connections to PostgreSQL that stay open, each used by one thread at a time."""

import os
import select
import socket
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any, TypeVar

from sqlalchemy import Connection, Engine, text
from sqlalchemy.exc import DBAPIError, OperationalError

T = TypeVar("T")

QUICKLY_GONE = text(
    "SELECT set_config('tcp_keepalives_idle', '2', false),"
    " set_config('tcp_keepalives_interval', '1', false),"
    " set_config('tcp_keepalives_count', '3', false),"
    " set_config('tcp_user_timeout', '5000', false)"
)
"""Has the server notice within 5 s that the machine of a process with locks is gone.

While something that was sent waits for its confirmation, such as a ring, no keepalives are sent:
then the last one counts.
"""

_NO_TRANSACTION = 0
"""The driver's number for a connection that waits for its next transaction."""


@dataclass(frozen=True, slots=True, eq=False)
class Line:
    """A connection, with the driver's own."""

    connection: Connection
    driver: Any

    @property
    def lost(self) -> bool:
        """True when the server has ended it, or the network has."""
        return self.driver.closed

    @property
    def free(self) -> bool:
        return not self.lost and self.driver.info.transaction_status == _NO_TRANSACTION

    def begin(self, statement: str) -> None:
        """Begins a transaction on the server: in autocommit the driver does not."""
        try:
            self.driver.execute(statement, prepare=False)
        except self.connection.dialect.loaded_dbapi.Error as error:
            # Nothing is wrong with these words, so the connection or the server is at fault.
            raise OperationalError(statement, None, error) from error

    def heard(self, seconds: float) -> Iterator[str]:
        """Yields what other lines notify, until something has come or the time is over.

        Raises OperationalError at once when the server ends the line.
        """
        # The driver itself would look ten times a second, in each process at rest.
        poll = select.poll()
        poll.register(self.driver.fileno(), select.POLLIN)
        try:
            told = [*self.driver.notifies(timeout=0)]
            if not told and poll.poll(seconds * 1000):
                told = [*self.driver.notifies(timeout=0)]
            yield from (one.payload for one in told)
        except self.connection.dialect.loaded_dbapi.Error as error:
            raise OperationalError("LISTEN", None, error) from error

    def end(self) -> None:
        """Ends the line; one that has ended stays so."""
        if self.connection.closed:
            return
        with suppress(DBAPIError):
            self.connection.invalidate()
            self.connection.close()

    def cut(self) -> None:
        """Ends it under the hands of the thread that uses it."""
        with (
            suppress(OSError, self.connection.dialect.loaded_dbapi.Error),
            socket.socket(fileno=os.dup(self.driver.fileno())) as doubled,
        ):
            doubled.shutdown(socket.SHUT_RDWR)


class Lines:
    """Hands out the line that was used last: the server has prepared most statements for it."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._waiting: deque[Line] = deque()
        self._busy: set[Line] = set()

    @contextmanager
    def one(self, first: Callable[[Line], T]) -> Iterator[tuple[Line, T]]:
        """Yields a line and the result of its first step, which changes nothing.

        The server may have ended a line while nobody used it. Then another one takes the step.
        """
        line, result = self._begun(first)
        try:
            yield line, result
        finally:
            self._back(line)

    def open(self) -> Line:
        """Opens a line that belongs to the caller."""
        connection = self._engine.connect()
        return Line(connection, connection.connection.driver_connection)

    def end(self) -> None:
        """Ends the lines that wait, and cuts those that are used."""
        for line in [*self._busy]:
            line.cut()
        self.end_waiting()

    def end_waiting(self) -> None:
        """Ends the lines that wait; new ones are opened when they are needed."""
        with suppress(IndexError):
            while True:
                self._waiting.pop().end()

    def _begun(self, first: Callable[[Line], T]) -> tuple[Line, T]:
        while (line := self._last_used()) is not None:
            try:
                return line, first(line)
            except DBAPIError:
                lost = line.lost
                self._back(line)
                if not lost:
                    raise
        line = self.open()
        self._busy.add(line)
        try:
            return line, first(line)
        except BaseException:
            self._back(line)
            raise

    def _last_used(self) -> Line | None:
        try:
            line = self._waiting.pop()
        except IndexError:
            return None
        self._busy.add(line)
        return line

    def _back(self, line: Line) -> None:
        """Keeps a line that is free again, and ends any other."""
        self._busy.discard(line)
        if line.free:
            self._waiting.append(line)
        else:
            line.end()
