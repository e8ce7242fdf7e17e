"""A connection that is opened when the first call needs it, as every provider of models has one."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Generic, Protocol, TypeVar


class Closing(Protocol):
    """Anything that can be closed."""

    def close(self) -> Awaitable[None]: ...


ConnectionT = TypeVar("ConnectionT", bound=Closing)


class LateConnection(Generic[ConnectionT]):
    """Opens a connection in a thread, once: `connect` may load a library that takes a second."""

    def __init__(self, connect: Callable[[], ConnectionT]) -> None:
        self._connect = connect
        self._opening = asyncio.Lock()
        self._connection: ConnectionT | None = None

    async def opened(self) -> ConnectionT:
        async with self._opening:
            if self._connection is None:
                self._connection = await asyncio.to_thread(self._connect)
            return self._connection

    async def close(self) -> None:
        """Closes the connection if it was opened; the next call opens another one."""
        async with self._opening:
            if self._connection is not None:
                await self._connection.close()
                self._connection = None
