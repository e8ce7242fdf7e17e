"""Who may command the bot, and how someone gets to be one of them."""

from collections.abc import Sequence
from datetime import date, datetime
from typing import Protocol

from bot.domain.person import Person, Role, Sender


class People(Protocol):
    async def by_sender(self, sender: Sender) -> Person | None:
        """Who the account belongs to; someone admitted by number gets a name at first sight."""
        ...

    async def get(self, person: int) -> Person | None: ...

    async def admit(self, sender: Sender, role: Role) -> Person:
        """Makes the sender a person of this role; an existing person keeps the higher role."""
        ...

    async def accounts(self) -> Sequence[tuple[str, Person]]:
        """Every account with its person, owners first."""
        ...


class Door(Protocol):
    """The way in: pairing links and the one polite line for strangers."""

    async def offer(self, code_hash: str, expires_at: datetime) -> None:
        """Replaces any earlier pairing code by this one."""
        ...

    async def redeem(self, code_hash: str, sender: Sender, at: datetime) -> Person | None:
        """Makes the sender the owner when the code is live, unused, and there is no owner yet.

        Whoever owns the terminal is the same person, and does not count as an owner here.
        """
        ...

    async def greet(self, account: str, day: date) -> bool:
        """True once per account and day: then the polite line is due."""
        ...
