"""Connects to public addresses alone, and to the very address that was judged."""

import asyncio
import socket
from collections.abc import Awaitable, Callable, Sequence
from typing import TypeAlias

from bot.domain.talk.public_address import read_public
from bot.domain.value import frozen

Resolver: TypeAlias = Callable[[str, int], Awaitable[Sequence[str]]]
"""Looks a name up, and returns its addresses."""

Connector: TypeAlias = Callable[[str, int], Awaitable[socket.socket]]
"""Connects to an address."""

_CONNECT_SECONDS = 10.0
_MOST_ADDRESSES = 4
"""Addresses of one name that are tried."""


class NotPublic(Exception):
    """A host has an address that is not public."""


class NoSuchHost(Exception):
    """A name has no address."""


async def system_resolver(host: str, port: int) -> Sequence[str]:
    """Asks the system, which also reads decimal, octal and hexadecimal forms of addresses."""
    loop = asyncio.get_running_loop()
    try:
        found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise NoSuchHost(host) from error
    return list(dict.fromkeys(str(sockaddr[0]) for *_, sockaddr in found))


async def system_connector(address: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    connection = socket.socket(family, socket.SOCK_STREAM | socket.SOCK_NONBLOCK)
    try:
        await asyncio.get_running_loop().sock_connect(connection, (address, port))
    except BaseException:
        connection.close()
        raise
    return connection


@frozen
class PublicNetwork:
    """Looks a name up once, judges every address, and connects to one of those it has judged.

    What stands in `allowed` (as host:port) was named by the operator, so it may be anywhere.
    """

    _allowed: frozenset[str]
    _resolver: Resolver = system_resolver
    _connector: Connector = system_connector

    async def connect(self, host: str, port: int) -> socket.socket:
        """Returns a connection; raises NotPublic, NoSuchHost, OSError and TimeoutError."""
        fault: Exception = NoSuchHost(host)
        for address in (await self._judged(host, port))[:_MOST_ADDRESSES]:
            try:
                async with asyncio.timeout(_CONNECT_SECONDS):
                    return await self._connector(address, port)
            except OSError as error:
                fault = error
        raise fault

    async def _judged(self, host: str, port: int) -> Sequence[str]:
        """Returns the addresses of a host; one that is not public spoils them all."""
        found = await self._resolver(host, port)
        named = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
        if named in self._allowed:
            return found
        judged = [read_public(address) for address in found]
        if None in judged:
            raise NotPublic(host)
        return [str(address) for address in judged]
