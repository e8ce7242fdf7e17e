"""Stands before every page: who asks, from where, and what each answer tells the browser."""

from collections.abc import Awaitable, Callable, Collection, Mapping, MutableMapping
from typing import Any, Protocol, TypeAlias

from starlette.responses import PlainTextResponse, RedirectResponse, Response

from bot.adapters.web.origins import Origins
from bot.adapters.web.refusals import (
    AWAY,
    BESIDE,
    ELSEWHERE,
    FOREIGN,
    MISSING,
    NOT_MADE_FOR,
    STRANGER,
)
from bot.adapters.web.visitor import Visitor
from bot.domain.talk.errors import StoreError

Scope: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send: TypeAlias = Callable[[MutableMapping[str, Any]], Awaitable[None]]
App: TypeAlias = Callable[[Scope, Receive, Send], Awaitable[None]]

ENTER = "/enter"
"""The page at which people sign in."""

STATIC = "/static/"
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "content-security-policy": _POLICY,
    "x-frame-options": "DENY",
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
}
_READS = ("GET", "HEAD")


class SignedIn(Protocol):
    """The people who are signed in."""

    async def visitor(self, cookies: Mapping[str, str]) -> tuple[Visitor | None, str]:
        """Returns who shows these cookies, and a cookie to be set; None for nobody."""
        ...

    async def still(self, cookies: Mapping[str, str]) -> Visitor | None:
        """Returns who shows these cookies, for an answer that can set none."""
        ...


class Gate:
    """An ASGI application around the pages.

    It refuses a foreign host, a form of another site and a stranger before a page is asked.
    """

    def __init__(
        self, inner: App, origins: Origins, people: SignedIn, proxies: Collection[str]
    ) -> None:
        self._inner = inner
        self._proxies = proxies
        self._origins = origins
        self._people = people

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = _headers(scope)
        peer = (scope.get("client") or ("", 0))[0]
        refusal = self._refused(scope["method"], headers)
        if "\0" in scope["path"] or b"%00" in scope["query_string"]:
            # No name and no number has it, and a database refuses it.
            refusal = PlainTextResponse(MISSING, 404)
        if peer not in self._proxies:
            refusal = PlainTextResponse(BESIDE, 403)
        cookie = ""
        if refusal is None:
            try:
                refusal, cookie = await self._signed_in(scope, headers)
            except StoreError:
                refusal = PlainTextResponse(AWAY, 503, {"retry-after": "1"})
        app = self._inner if refusal is None else refusal
        await app(scope, receive, _with_headers(send, scope["path"], cookie))

    def _refused(self, method: str, headers: Mapping[str, list[str]]) -> Response | None:
        hosts = headers.get("host", [])
        if len(hosts) != 1 or not self._origins.has_host(hosts[0]):
            return PlainTextResponse(ELSEWHERE, 421)
        site = headers.get("sec-fetch-site", [""])[-1]
        if method in _READS:
            # A link may lead here from anywhere; nothing else of another site may ask.
            opened = headers.get("sec-fetch-mode", [""])[-1] == "navigate"
            foreign = site in ("cross-site", "same-site") and not opened
            return PlainTextResponse(FOREIGN, 403) if foreign else None
        if method != "POST":
            return PlainTextResponse(NOT_MADE_FOR, 405, {"allow": "GET, HEAD, POST"})
        origins = headers.get("origin", [])
        ours = self._origins.has(origins[0]) if len(origins) == 1 else not origins and bool(site)
        if not ours or site not in ("", "same-origin"):
            return PlainTextResponse(FOREIGN, 403)
        return None

    async def _signed_in(
        self, scope: Scope, headers: Mapping[str, list[str]]
    ) -> tuple[Response | None, str]:
        """Returns the refusal of a stranger, and a cookie to be set; notes who asks."""
        path = scope["path"]
        if path.startswith(STATIC):
            return None, ""
        visitor, cookie = await self._people.visitor(_cookies(headers.get("cookie", [])))
        scope.setdefault("state", {})["visitor"] = visitor
        if visitor is not None or path == ENTER:
            return None, cookie
        if scope["method"] in _READS and "text/html" in ",".join(headers.get("accept", [])):
            return RedirectResponse(ENTER, 303), cookie
        return PlainTextResponse(STRANGER, 401), cookie


def _with_headers(send: Send, path: str, cookie: str) -> Send:
    async def told(event: MutableMapping[str, Any]) -> None:
        if event["type"] == "http.response.start":
            given = list(event.get("headers", []))
            has = {name.lower() for name, _ in given}
            added = dict(HEADERS)
            if not path.startswith(STATIC):
                added["cache-control"] = "no-store"
            given += [
                (name.encode(), value.encode())
                for name, value in added.items()
                if name.encode() not in has
            ]
            if cookie:
                given.append((b"set-cookie", cookie.encode("latin-1")))
            event["headers"] = given
        await send(event)

    return told


def _headers(scope: Scope) -> Mapping[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name, value in scope["headers"]:
        found.setdefault(name.decode("latin-1").lower(), []).append(value.decode("latin-1"))
    return found


def _cookies(lines: Collection[str]) -> Mapping[str, str]:
    parts = (part.strip().partition("=") for line in lines for part in line.split(";"))
    return {name: value for name, _, value in parts if name}
