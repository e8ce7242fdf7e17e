"""Signs people in: a code becomes a session, and the cookie of a session becomes a visitor."""

import hashlib
import hmac
import secrets
from collections import deque
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from contextlib import suppress
from datetime import timedelta

from bot.adapters.web.origins import Origins
from bot.adapters.web.shown import ShownSession
from bot.adapters.web.visitor import Visitor
from bot.domain.talk.errors import Conflict
from bot.domain.talk.person import Person
from bot.domain.talk.session import Session, SignInCode, hashed, parts_of
from bot.ports.clock import Clock
from bot.ports.sessions import WholeSessions

DAYS = 30
"""Days after which a session ends that nobody uses."""

_RENEWED_AFTER = timedelta(hours=12)
_LONGEST = timedelta(days=180)
_SECRET = 43
_MOST_MISSES, _WITHIN = 20, 60.0
"""Wrong codes after which people are told to wait, and the seconds in which they are counted."""

_LONGEST_NAME = 80
_BROWSERS = ("Firefox", "Edg", "OPR", "Chrome", "Safari", "curl", "python-httpx")
_SYSTEMS = ("Android", "iPhone", "iPad", "Windows", "Mac OS X", "Linux")

Admit = Callable[[SignInCode], Awaitable[Person | None]]
"""Returns the person of a code as they are now; None when their access has ended."""


class SignIn:
    """The sessions of the page.

    The cookie holds a secret of 256 bits, and the row its hash; nothing is kept in memory, so an
    ended session ends at once, everywhere.
    """

    def __init__(
        self, rows: WholeSessions, admit: Admit, origins: Origins, clock: Clock, installation: str
    ) -> None:
        self._rows = rows
        self._admit = admit
        self._clock = clock
        self._secure = origins.secure
        mark = hashlib.sha256(f"{installation}|{origins.first}".encode()).hexdigest()[:10]
        self._name = f"{'__Host-' if self._secure else ''}steward_{mark}"
        self._misses: deque[float] = deque(maxlen=_MOST_MISSES)

    async def visitor(self, cookies: Mapping[str, str]) -> tuple[Visitor | None, str]:
        """Returns who shows these cookies, read afresh; and a cookie where it is renewed."""
        secret, found = await self._found(cookies)
        if found is None:
            return None, ""
        (session, _), now, cookie = found, self._clock.now(), ""
        # A visit that is still to come was made before the clock was set back.
        if abs(now - session.seen_at) > _RENEWED_AFTER:
            ends = min(now + timedelta(days=DAYS), session.opened_at + _LONGEST)
            await self._rows.renew(session.id, now, ends)
            cookie = self._cookie(secret, ends - now)
        return _visitor(secret, *found), cookie

    async def still(self, cookies: Mapping[str, str]) -> Visitor | None:
        """Returns who shows these cookies, read afresh; it renews nothing, and is no visit."""
        secret, found = await self._found(cookies)
        return None if found is None else _visitor(secret, *found)

    async def _found(self, cookies: Mapping[str, str]) -> tuple[str, tuple[Session, Person] | None]:
        secret = cookies.get(self._name, "")
        if len(secret) != _SECRET:
            return "", None
        return secret, await self._rows.at(hashed(secret), self._clock.now())

    async def enter(self, code: str, browser: str) -> str:
        """Spends a code; returns the cookie of a new session, or nothing for a code that is void.

        It is spent with the session that it opens, so after a kill in between it is good still. A
        right code is never kept waiting by wrong ones.
        """
        parts = parts_of(code)
        good = None if parts is None else await self._rows.tried(*parts, self._clock.now())
        person = None if good is None else await self._admit(good)
        if person is not None:
            now, secret = self._clock.now(), secrets.token_urlsafe(32)
            ends, id = now + timedelta(days=DAYS), secrets.token_hex(6)
            name = browser_name(browser)
            session = Session(id, hashed(secret), person.id, name, now, now, ends)
            # Access may have ended since the code was made, or another browser was faster.
            with suppress(Conflict):
                await self._rows.open(session, good)
                return self._cookie(secret, timedelta(days=DAYS))
        self._missed()
        return ""

    async def leave(self, visitor: Visitor) -> str:
        """Ends the session of a visitor; returns the cookie that takes its own away."""
        await self._rows.end(visitor.person.id, visitor.session)
        return self._cookie("", timedelta())

    async def end(self, visitor: Visitor, id: str | None) -> None:
        """Ends one session of the person, or all of them."""
        await self._rows.end(visitor.person.id, id)

    async def of(self, visitor: Visitor) -> Sequence[ShownSession]:
        found = await self._rows.of(visitor.person.id, self._clock.now())
        return [
            ShownSession(s.id, s.name, s.opened_at, s.seen_at, s.id == visitor.session)
            for s in found
        ]

    def _missed(self) -> None:
        self._misses.append(self._clock.steady())

    @property
    def crowded(self) -> bool:
        """Returns True while so many codes were wrong that somebody seems to guess."""
        full = len(self._misses) == _MOST_MISSES
        return full and self._clock.steady() - self._misses[0] < _WITHIN

    def _cookie(self, secret: str, lasts: timedelta) -> str:
        secure = "; Secure" if self._secure else ""
        age = int(lasts.total_seconds())
        return f"{self._name}={secret}; Path=/; Max-Age={age}; HttpOnly; SameSite=Strict{secure}"


def _visitor(secret: str, session: Session, person: Person) -> Visitor:
    csrf = hmac.new(secret.encode(), b"form", hashlib.sha256).hexdigest()[:32]
    return Visitor(person, session.id, csrf, session.account)


def browser_name(agent: str) -> str:
    """Returns a short name for a browser from what it calls itself."""
    known = _first(agent, _BROWSERS)
    system = _first(agent, _SYSTEMS)
    names = {"Edg": "Edge", "OPR": "Opera", "Mac OS X": "macOS", "python-httpx": "a program"}
    told = [names.get(one, one) for one in (known, system) if one]
    return " on ".join(told)[:_LONGEST_NAME] or "A browser"


def _first(agent: str, wanted: Collection[str]) -> str:
    # Chrome also calls itself Safari, and Edge calls itself Chrome: the first of the list counts.
    return next((one for one in wanted if one in agent), "")
