"""Serves the API over real HTTP: who may call, how often, and what goes wrong on the way."""

import asyncio
import json
import time
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from aiohttp import web

from tests.standins.discord.faults import Call, Fault, Faults, Refusal
from tests.standins.discord.gateway import Gateway
from tests.standins.discord.places import Places
from tests.standins.discord.routes import Routes, invitations, member_of
from tests.standins.discord.rules import check_commands
from tests.standins.discord.world import Channel, Interaction, Message, role, snowflake

_OPEN = ("/interactions/", "/webhooks/", "/files/", "/gateway")
_VIA = {"Via": "1.1 google"}


class Rates:
    """The buckets: so many calls of a route in a channel in some seconds; empty means no bound."""

    def __init__(self) -> None:
        self.bounds: dict[str, tuple[int, float]] = {}
        self._made: dict[str, deque[float]] = {}

    def take(self, method: str, path: str) -> dict[str, str]:
        """Counts a call and returns the headers about its bucket; raises when it is empty."""
        key = f"{method} {path}"
        bound = next((b for part, b in self.bounds.items() if part in key), None)
        if bound is None:
            return dict(_VIA)
        count, seconds = bound
        now = time.monotonic()
        made = self._made.setdefault(key, deque())
        while made and made[0] <= now - seconds:
            made.popleft()
        left = seconds if not made else made[0] + seconds - now
        headers = {
            **_VIA,
            "X-RateLimit-Limit": str(count),
            "X-RateLimit-Remaining": str(max(count - len(made) - 1, 0)),
            "X-RateLimit-Reset": str(time.time() + left),
            "X-RateLimit-Reset-After": f"{left:.3f}",
            "X-RateLimit-Bucket": f"{abs(hash(key)):x}",
        }
        if len(made) >= count:
            told = {**headers, "X-RateLimit-Scope": "user"}
            raise Refusal(429, 0, "You are being rate limited.", told, retry_after=left)
        made.append(now)
        return headers


class Server:
    """Everything below one address; `calls` are all calls that were answered."""

    def __init__(self, token: str, places: Places, gateway: Gateway) -> None:
        self._token = token
        self._places = places
        self._gateway = gateway
        self.routes = Routes(places)
        self.rates = Rates()
        self.faults = Faults()
        self.calls: list[Call] = []
        self.changed: Callable[[], None] = lambda: None
        self.tell: Callable[[str, dict[str, Any]], Awaitable[None]] = gateway.tell
        self.reads_words = True
        self.starts_left = 1000

    @property
    def app(self) -> web.Application:
        app = web.Application(client_max_size=64 * 1024 * 1024)
        app.router.add_get("/gateway", self._gateway.serve)
        app.router.add_get("/gateway/", self._gateway.serve)
        app.router.add_route("*", "/{path:.*}", self._serve)
        return app

    async def _serve(self, request: web.Request) -> web.StreamResponse:
        path = "/" + request.match_info["path"]
        raw = request.raw_path.partition("?")[0]
        body: Any = None
        fault: Fault | None = None
        try:
            body, files = await _content(request)
            if request.method == "GET":
                body = dict(request.query)
            fault = self.faults.met(request.method, path, body)
            if fault is not None and fault.how == "dropped":
                return self._dropped(request)
            if fault is not None:
                await _before_work(fault)
            self._authorise(request, path)
            headers = self.rates.take(request.method, path)
            result = self._routed(request.method, raw, body, files)
        except Refusal as refusal:
            text = str(refusal)
            self.calls.append(Call(request.method, path, body, refusal.status, text))
            self.changed()
            headers = {**_VIA, **refusal.headers}
            return _answered(refusal.body, headers, refusal.status)
        except _Banned:
            self.calls.append(Call(request.method, path, body, 429, "banned"))
            self.changed()
            return web.Response(text="error code: 1015", status=429)
        self.calls.append(Call(request.method, path, body, 200))
        told, self.routes.told = self.routes.told, []
        for name, data in told:
            await self.tell(name, data)
        self.changed()
        answer = _answered(result, headers)
        return answer if fault is None else await self._after_work(fault, request, answer)

    async def _after_work(
        self, fault: Fault, request: web.Request, answer: web.Response
    ) -> web.StreamResponse:
        match fault.how:
            case "lost":
                return self._dropped(request)
            case "garbled":
                return web.Response(text="{", content_type="application/json", headers=_VIA)
            case "held" if fault.gate.after_work:
                await fault.gate.hold()
        return answer

    def _dropped(self, request: web.Request) -> web.StreamResponse:
        if request.transport is not None:
            request.transport.abort()
        return web.Response()

    def _authorise(self, request: web.Request, path: str) -> None:
        if path.startswith(_OPEN) and path != "/gateway/bot":
            return
        if request.headers.get("Authorization") != f"Bot {self._token}":
            raise Refusal(401, 0, "401: Unauthorized")
        if not request.headers.get("User-Agent", "").startswith("DiscordBot ("):
            raise Refusal(403, 40333, "internal network error")

    def _routed(self, method: str, path: str, body: Any, files: Sequence[bytes]) -> Any:
        parts = path.strip("/").split("/")
        match method, parts:
            case _, ["channels", channel, *rest]:
                return self._in_channel(method, self._channel(channel), rest, body, files)
            case "DELETE", ["users", "@me", "guilds", guild]:
                return self.routes.leave(guild)
            case "POST", ["users", "@me", "channels"]:
                return self.routes.direct(body)
            case "POST", ["interactions", number, token, "callback"]:
                return self.routes.callback(self._interaction(token, number), body)
            case "PUT", ["applications", number, "commands"]:
                self._own(number)
                check_commands(body)
                self._places.commands = [{**one, "id": str(snowflake())} for one in body]
                return self._places.commands
            case "POST", ["webhooks", number, token]:
                self._own(number)
                return self.routes.follow_up(self._interaction(token), body)
            case "GET", _:
                return self._looked_up(parts, body)
            case _:
                raise Refusal(404, 0, "404: Not Found")

    def _looked_up(self, parts: list[str], query: dict[str, str]) -> Any:
        match parts:
            case ["users", "@me"]:
                return self._places.bot.json
            case ["applications", "@me"] | ["oauth2", "applications", "@me"]:
                return self._application()
            case ["users", "@me", "guilds"]:
                after, most = int(query.get("after", "0")), int(query.get("limit", "200"))
                found = sorted(g.id for g in self._places.guilds.values() if g.id > after)
                guilds = [self._places.guilds[number] for number in found[:most]]
                return [
                    {"id": str(g.id), "name": g.name, "permissions": str(g.rights)} for g in guilds
                ]
            case ["gateway", "bot"]:
                limit = {"total": 1000, "remaining": self.starts_left, "reset_after": 1000}
                url = self._places.url.replace("http", "ws", 1) + "/gateway"
                return {"url": url, "shards": 1, "session_start_limit": limit}
            case ["applications", number, "commands"]:
                self._own(number)
                return self._places.commands
            case ["guilds", guild, *rest]:
                return self._in_guild(guild, rest)
            case ["files", _, number, _]:
                return self._file(number)
            case _:
                raise Refusal(404, 0, "404: Not Found")

    def _in_guild(self, guild: str, rest: list[str]) -> Any:
        match rest:
            case []:
                return self._guild(guild)
            case ["audit-logs"]:
                return invitations(self._places, int(guild))
            case ["members", person]:
                return member_of(self._places, int(guild), self._places.person(person))
            case _:
                raise Refusal(404, 0, "404: Not Found")

    def _own(self, application: str) -> None:
        if application != str(self._places.application):
            raise Refusal(403, 20012, "You are not authorized to perform this action")

    def _application(self) -> dict[str, Any]:
        bot = self._places.bot
        about: dict[str, Any] = {"name": bot.username, "description": "", "icon": None}
        rights = {"bot_public": False, "bot_require_code_grant": False, "verify_key": ""}
        flags = int(self.reads_words) << 19
        return {
            "id": str(self._places.application),
            "owner": bot.json,
            "flags": flags,
            **about,
            **rights,
        }

    def _in_channel(
        self, method: str, channel: Channel, rest: list[str], body: Any, files: Sequence[bytes]
    ) -> Any:
        routes = self.routes
        match method, rest:
            case "GET", []:
                return routes.channel_get(channel)
            case "PATCH", []:
                return routes.thread_patch(channel, body)
            case "POST", ["typing"]:
                return routes.typing(channel)
            case "GET", ["messages"]:
                return routes.messages_get(channel, body)
            case "POST", ["messages"]:
                return routes.messages_post(channel, body, files)
            case _, ["messages", number, *more]:
                found = self._message(number, channel)
                return self._on_message(method, channel, found, more, body, files)
            case _:
                raise Refusal(404, 0, "404: Not Found")

    def _on_message(
        self,
        method: str,
        channel: Channel,
        message: Message,
        rest: list[str],
        body: Any,
        files: Sequence[bytes],
    ) -> Any:
        routes = self.routes
        match method, rest:
            case "GET", []:
                return message.json([])
            case "PATCH", []:
                return routes.message_patch(channel, message, body, files)
            case "DELETE", []:
                return routes.message_delete(channel, message)
            case "POST", ["threads"]:
                return routes.thread_post(channel, message, body)
            case "GET", ["reactions", emoji]:
                return routes.reactions_get(channel, message, emoji, body)
            case "PUT" | "DELETE", ["reactions", emoji, "@me"]:
                return routes.reaction(channel, message, emoji, put=method == "PUT")
            case _:
                raise Refusal(404, 0, "404: Not Found")

    def _guild(self, number: str) -> dict[str, Any]:
        found = self._places.guilds.get(int(number))
        if found is None:
            raise Refusal(404, 10004, "Unknown Guild")
        own = role(found.role, "Steward", bot_id=str(self._places.bot.id))
        told = {**found.json, "roles": [*found.json["roles"], own]}
        return {name: told[name] for name in told if name not in ("channels", "threads")}

    def _channel(self, number: str) -> Channel:
        found = self._places.channel(number)
        if found is None:
            raise Refusal(404, 10003, "Unknown Channel")
        guild = found.guild
        if guild is not None and (guild not in self._places.guilds or guild in self._places.out):
            # In an outage it is the worst that Discord may say.
            raise Refusal(403, 50001, "Missing Access")
        return found

    def _message(self, number: str, channel: Channel) -> Message:
        found = self._places.message(number)
        if found is None or found.channel is not channel:
            raise Refusal(404, 10008, "Unknown Message")
        return found

    def _interaction(self, token: str, number: str | None = None) -> Interaction:
        found = self._places.interactions.get(token)
        if found is None or (number is not None and str(found.id) != number):
            raise Refusal(404, 10062, "Unknown interaction")
        return found

    def _file(self, number: str) -> bytes:
        found = self._places.file(number)
        if found is None:
            raise Refusal(404, 0, "404: Not Found")
        return found


class Upload(bytes):
    """A file of a form, with the type that the sender gave it."""

    kind: str


class _Banned(Exception):
    pass


async def _before_work(fault: Fault) -> None:
    match fault.how:
        case "held" if not fault.gate.after_work:
            await fault.gate.hold()
        case "refused":
            raise Refusal(400, 50035, "Invalid Form Body: REFUSED")
        case "banned":
            raise _Banned
        case "limited":
            more = {"retry_after": fault.seconds, "global": True}
            raise Refusal(
                429, 0, "You are being rate limited.", {"X-RateLimit-Global": "true"}, **more
            )
        case "broken":
            raise Refusal(503, 0, "Service Unavailable")
        case _:
            return


async def _content(request: web.Request) -> tuple[Any, Sequence[bytes]]:
    if request.content_type.startswith("multipart/"):
        form = await request.post()
        files: list[Upload] = []
        for name, value in form.items():
            if name.startswith("files[") and isinstance(value, web.FileField):
                with value.file as held:
                    files.append(Upload(await asyncio.to_thread(held.read)))
                files[-1].kind = value.content_type
        return json.loads(str(form["payload_json"])), files
    text = await request.text()
    if text and request.content_type != "application/json":
        raise Refusal(400, 50109, "The request body contains invalid JSON.")
    return (json.loads(text) if text else None), []


def _answered(result: Any, headers: dict[str, str], status: int = 200) -> web.Response:
    if result is None:
        return web.Response(status=204, headers=headers)
    if isinstance(result, bytes):
        return web.Response(body=result, headers=headers)
    # The real one names no character set.
    text = json.dumps(result).encode()
    return web.Response(body=text, status=status, content_type="application/json", headers=headers)
