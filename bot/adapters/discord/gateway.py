"""One connection to the gateway: the library's own, but its events go to a sink unread."""

import json
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import discord
from discord.gateway import DiscordWebSocket, ReconnectWebSocket
from yarl import URL

from bot.adapters.discord.fields import Fields
from bot.domain.talk.message import Reached
from bot.domain.value import frozen

_CONNECT_SECONDS = 60.0


@dataclass(slots=True)
class Session:
    """Holds all that a new connection needs to go on where one ended.

    `sequence` is the number of the last event that was stored: after a break the gateway sends
    again whatever came behind it.
    """

    stream: str
    """The name under which its position is stored, for the next process."""
    id: str = ""
    gateway: str = ""
    sequence: int | None = None

    def reached(self, sequence: int | None) -> Reached | None:
        """Returns the position behind an event; None while nothing could be gone on with."""
        if not self.id or sequence is None:
            return None
        return Reached(self.stream, json.dumps([self.id, self.gateway, sequence]))

    def go_on(self, position: str) -> None:
        """Takes the position that another process has stored, if it is one."""
        match _decoded(position):
            case [str(id), str(gateway), int(sequence)] if id:
                self.id, self.gateway, self.sequence = id, gateway, sequence
            case _:
                pass

    def forget(self) -> None:
        """Has the next connection begin anew."""
        self.id, self.gateway, self.sequence = "", "", None


@frozen
class Event:
    """An event of the gateway as it came."""

    name: str
    sequence: int | None
    data: Mapping[str, Any]

    @property
    def fields(self) -> Fields:
        return Fields(self.data)


class Sink(Protocol):
    """Takes the events of a connection in their order."""

    async def take(self, event: Event) -> None: ...


class Garbled(Exception):
    """The stream can no longer be unpacked."""


class GatewaySocket(DiscordWebSocket):
    """Reads payloads without trust; the library sees only those that keep the connection alive."""

    sink: Sink

    async def received_message(self, msg: Any, /) -> None:
        text = self._unpacked(msg)
        if text is None:
            return
        payload = _decoded(text)
        if not isinstance(payload, dict):
            # It has no number to ask again by.
            return
        if payload.get("op") != self.DISPATCH:
            await super().received_message(text)
            return
        if self._keep_alive:
            self._keep_alive.tick()
        name, data, number = payload.get("t"), payload.get("d"), payload.get("s")
        whole = isinstance(number, int) and not isinstance(number, bool)
        told = data if isinstance(data, dict) else {}
        await self.sink.take(Event(str(name), number if whole else None, told))

    def _unpacked(self, msg: Any) -> str | None:
        if not isinstance(msg, bytes):
            return str(msg)
        try:
            return self._decompressor.decompress(msg)
        except (zlib.error, ValueError) as error:
            raise Garbled(str(error)) from None


def _decoded(text: str) -> Any:
    """Returns what a text says; None for one that cannot be read."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


async def connected(
    client: discord.Client, gateway: str, session: Session, taken_by: Sink, shard: int
) -> GatewaySocket:
    """Connects and goes on with a session, or begins one; raises what the library raises."""

    class Socket(GatewaySocket):
        sink = taken_by

    return await discord.utils.maybe_coroutine(
        Socket.from_client,
        client,
        initial=True,
        gateway=URL(gateway),
        shard_id=shard,
        session=session.id or None,
        sequence=session.sequence,
        resume=bool(session.id and session.sequence is not None),
    )


__all__ = ["Event", "Garbled", "GatewaySocket", "ReconnectWebSocket", "Session", "connected"]
