"""Sign-in codes and sessions of the page."""

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from bot.domain.talk.person import Person
from bot.domain.talk.session import Session, SignInCode


class SignIns(Protocol):
    async def offer(self, code: SignInCode, now: datetime) -> None:
        """Stores a code; those that have expired are forgotten."""
        ...

    async def tried(self, id: str, hash: str, now: datetime) -> SignInCode | None:
        """Returns the live code with this secret; a wrong secret counts as a try."""
        ...


class Sessions(Protocol):
    async def open(self, session: Session, code: SignInCode | None = None) -> Session:
        """Stores a session; returns it with the account of the page that its person has.

        The code that opens it is spent with it, or stays. Conflict when it was spent before, and
        when the access of the person has ended.
        """
        ...

    async def at(self, hash: str, now: datetime) -> tuple[Session, Person] | None:
        """Returns the live session with this hash, and its person as they are now.

        None when it has ended, and when the person has no account any more.
        """
        ...

    async def renew(self, id: str, seen_at: datetime, ends_at: datetime) -> None: ...

    async def of(self, person: int, now: datetime) -> Sequence[Session]:
        """Returns the live sessions of a person, the newest first."""
        ...

    async def end(self, person: int, id: str | None = None) -> int:
        """Ends a session of a person, or all of them; returns their number."""
        ...


class WholeSessions(SignIns, Sessions, Protocol):
    """All of these, as the store has them."""
