"""Signing in on the page: a code that works once, and the session that it opens."""

import hashlib
import re
import secrets
from datetime import datetime, timedelta

from bot.domain.value import frozen

PAGE = "web"
"""The channel of the page."""

CODE_MINUTES = 10
LONGEST_CODE = timedelta(minutes=2 * CODE_MINUTES)
"""The time for which a code may still be good; the clock of another machine may be ahead."""

MOST_TRIES = 5
"""Wrong tries after which a code is void."""

_CODE = re.compile(r"([0-9a-f]{8})-([A-Za-z0-9_-]{22,32})")


@frozen
class SignInCode:
    """A code that signs somebody in once; only the hash of its secret is kept."""

    id: str
    hash: str
    expires_at: datetime
    person: int | None = None
    """The person; None for the one at the machine, who need not be known yet."""
    account: str = ""
    """The account at the machine, as in `terminal:ann`."""
    name: str = ""
    """The name of the person at the machine."""
    tries: int = 0
    """Tries with another secret."""


@frozen
class Session:
    """A browser in which a person is signed in."""

    id: str
    """Names it in lists; it opens nothing."""
    hash: str
    """The hash of the secret that the browser shows."""
    person: int
    name: str
    """The browser, as it called itself."""
    opened_at: datetime
    seen_at: datetime
    """The last time at which it was renewed."""
    ends_at: datetime
    account: str = ""
    """The account of the page under which the person writes, as in `web:5`."""


def new_code(
    now: datetime, person: int | None = None, account: str = "", name: str = ""
) -> tuple[str, SignInCode]:
    """Returns the words of a new code, and its row.

    They have no signs that an app might take for formatting or for the end of a link.
    """
    id, secret = secrets.token_hex(4), secrets.token_hex(16)
    ends = now + timedelta(minutes=CODE_MINUTES)
    return f"{id}-{secret}", SignInCode(id, hashed(secret), ends, person, account, name)


def parts_of(code: str) -> tuple[str, str] | None:
    """Returns the id of a code and the hash of its secret; None for other words."""
    match = _CODE.fullmatch(code.strip())
    return None if match is None else (match[1], hashed(match[2]))


def hashed(secret: str) -> str:
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()
