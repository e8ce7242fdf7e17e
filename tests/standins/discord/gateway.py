"""The gateway: sessions that remember their events, and the connections that carry them."""

import asyncio
import json
import secrets
import zlib
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from aiohttp import WSMsgType, web

_OF_SERVERS = ("GUILD_CREATE", "GUILD_DELETE")
_DIRECT, _IN_GUILDS, _WORDS = 1 << 12, 1 << 9, 1 << 15
_THUMBS_DIRECT, _THUMBS_IN_GUILDS = 1 << 13, 1 << 10
_ENDING = (1000, 1001)
"""Codes by which a client ends its session with its connection."""

_PRIVILEGED = 1 << 1 | 1 << 8 | _WORDS


@dataclass(eq=False)
class Session:
    """A session of a shard, which gets the events of its share of the servers."""

    intents: int
    shard: tuple[int, int] = (0, 1)
    id: str = field(default_factory=lambda: secrets.token_hex(16))
    events: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    connection: "Connection | None" = None


@dataclass(eq=False)
class Connection:
    socket: web.WebSocketResponse
    request: web.Request
    session: Session | None = None
    beats: int = 0
    _packer: Any = None

    def __post_init__(self) -> None:
        if self.request.query.get("compress") == "zlib-stream":
            self._packer = zlib.compressobj()

    async def send(self, payload: Mapping[str, Any]) -> None:
        await self.send_raw(json.dumps(payload))

    async def send_raw(self, text: str) -> None:
        with suppress(ConnectionError, RuntimeError):
            if self._packer is None:
                await self.socket.send_str(text)
            else:
                packed = self._packer.compress(text.encode())
                await self.socket.send_bytes(packed + self._packer.flush(zlib.Z_SYNC_FLUSH))

    def abort(self) -> None:
        transport = self.request.transport
        if transport is not None:
            transport.abort()


class Gateway:
    """`ready` gives what READY holds, `greeting` the events that follow it."""

    def __init__(
        self,
        token: str,
        ready: Callable[[], dict[str, Any]],
        greeting: Callable[[], list[tuple[str, Any]]],
        changed: Callable[[], None],
    ) -> None:
        self._token = token
        self._ready = ready
        self._greeting = greeting
        self._changed = changed
        self.sessions: dict[str, Session] = {}
        self.connections: list[Connection] = []
        self.identified = 0
        self.resumed = 0
        self.refuse_handshakes = 0
        self.away = False
        """True while no connection is taken."""
        self.refused_intents = 0
        """Intents that are switched off in the portal, of those that can be."""
        self.forgets = False
        """True when no session may be gone on with."""
        self.beat_every = 41250
        """Milliseconds between two heartbeats that a new connection is asked for."""
        self.resumed_at = ""
        """The address that new sessions are told to go on at; its own where none is given."""
        self.seconds_between = 0.0
        """Time after a session begins in which no other one may; Discord's is 5 s."""
        self._began_at = -1e9

    @property
    def begun(self) -> int:
        """How many connections have begun to bring events."""
        return self.identified + self.resumed

    async def serve(self, request: web.Request) -> web.StreamResponse:
        if self.away:
            return web.Response(status=503)
        if self.refuse_handshakes:
            self.refuse_handshakes -= 1
            return web.Response(status=503)
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        connection = Connection(socket, request)
        if request.query.get("v") != "10" or request.query.get("encoding") != "json":
            await socket.close(code=4012)
            return socket
        self.connections.append(connection)
        try:
            await connection.send(
                {"op": 10, "d": {"heartbeat_interval": self.beat_every}, "s": None}
            )
            async for message in socket:
                if message.type is not WSMsgType.TEXT:
                    break
                code = await self._heard(connection, message.data)
                if code:
                    await socket.close(code=code)
                    break
        finally:
            self.connections.remove(connection)
            if connection.session is not None and connection.session.connection is connection:
                connection.session.connection = None
                if socket.close_code in _ENDING:
                    self.sessions.pop(connection.session.id, None)
            self._changed()
        return socket

    async def _heard(self, connection: Connection, text: str) -> int:
        """Answers a payload; returns the code with which the connection is closed, if any."""
        try:
            payload = json.loads(text)
        except ValueError:
            return 4002
        match payload.get("op"):
            case 1:
                connection.beats += 1
                await connection.send({"op": 11, "d": None, "s": None})
                self._changed()
                return 0
            case 2:
                return await self._identify(connection, payload["d"])
            case 6:
                return await self._resume(connection, payload["d"])
            case _:
                return 4003 if connection.session is None else 4001

    async def _identify(self, connection: Connection, told: Any) -> int:
        if connection.session is not None:
            return 4005
        if told.get("token") != self._token:
            return 4004
        if not {"os", "browser", "device"} <= set(told.get("properties", ())):
            return 4002
        if told.get("intents", 0) & self.refused_intents & _PRIVILEGED:
            return 4014
        number, count = told.get("shard", (0, 1))
        if not 0 <= number < count:
            return 4010
        now = asyncio.get_running_loop().time()
        if now - self._began_at < self.seconds_between:
            await connection.send({"op": 9, "d": False, "s": None})
            return 0
        self._began_at = now
        session = Session(told["intents"], (number, count))
        self.sessions[session.id] = session
        connection.session = session
        session.connection = connection
        self.identified += 1
        host = connection.request.host
        address = self.resumed_at or f"ws://{host}/gateway"
        more = {"session_id": session.id, "resume_gateway_url": address}
        await self._event(session, "READY", {**self._ready(), **more})
        for name, data in self._greeting():
            if _is_for(session, name, data):
                await self._event(session, name, data)
        self._changed()
        return 0

    async def _resume(self, connection: Connection, told: Any) -> int:
        session = self.sessions.get(told.get("session_id"))
        if told.get("token") != self._token:
            return 4004
        if session is None or self.forgets or not isinstance(told.get("seq"), int):
            self.forgets = False
            await connection.send({"op": 9, "d": False, "s": None})
            return 0
        if told["seq"] > len(session.events):
            return 4007
        if session.connection is not None:
            session.connection.abort()
        connection.session = session
        session.connection = connection
        self.resumed += 1
        for event in session.events[told["seq"] :]:
            await connection.send(event)
        await self._event(session, "RESUMED", {})
        self._changed()
        return 0

    async def _event(self, session: Session, name: str, data: Any) -> None:
        event = {"op": 0, "t": name, "s": len(session.events) + 1, "d": data}
        session.events.append(event)
        if session.connection is not None:
            await session.connection.send(event)

    async def tell(self, name: str, data: dict[str, Any]) -> None:
        """Sends an event to every session that asked for its kind, now or when it resumes."""
        for session in list(self.sessions.values()):
            if not _is_for(session, name, data):
                continue
            if name.startswith("MESSAGE"):
                wanted = _IN_GUILDS if "guild_id" in data else _DIRECT
                if name.startswith("MESSAGE_REACTION"):
                    wanted = _THUMBS_IN_GUILDS if "guild_id" in data else _THUMBS_DIRECT
                if not session.intents & wanted:
                    continue
            await self._event(session, name, self._as_allowed(session, name, data))

    def _as_allowed(self, session: Session, name: str, data: dict[str, Any]) -> dict[str, Any]:
        """Leaves the words out that the bot may not read: of others, in servers, not to it."""
        own = self._ready()["user"]["id"]
        to_it = any(one["id"] == own for one in data.get("mentions", ()))
        open_ = session.intents & _WORDS or "guild_id" not in data or to_it
        if open_ or not name.startswith("MESSAGE") or "content" not in data:
            return data
        return {**data, "content": "", "attachments": [], "embeds": [], "components": []}

    async def tell_raw(self, text: str) -> None:
        """Sends what no client should ever get."""
        for connection in list(self.connections):
            await connection.send_raw(text)

    def cut(self) -> None:
        """Breaks all connections as a network does."""
        for connection in list(self.connections):
            connection.abort()

    async def end(self, code: int) -> None:
        """Closes all connections with a code."""
        closing = [one.socket.close(code=code) for one in list(self.connections)]
        await asyncio.gather(*closing)

    async def order(self, op: int, data: Any = None) -> None:
        """Sends an order: 7 to connect again, 9 about the session, 1 for a heartbeat."""
        if op == 9 and data is not True:
            self.sessions.clear()
        for connection in list(self.connections):
            await connection.send({"op": op, "d": data, "s": None})


def _is_for(session: Session, name: str, data: Mapping[str, Any]) -> bool:
    """Tell if a session's shard has this server; the first one has what is in private."""
    number, count = session.shard
    server = data["id"] if name in _OF_SERVERS else data.get("guild_id")
    return (int(server or 0) >> 22) % count == number
