"""The people who may command the bot, and the way to join them."""

from collections.abc import Sequence
from datetime import date, datetime
from typing import Protocol

from bot.domain.talk.chat import Chat
from bot.domain.talk.message import Address
from bot.domain.talk.person import Person, Role, Sender


class People(Protocol):
    async def by_sender(self, sender: Sender) -> Person | None:
        """Returns the person of an account; someone admitted by number gets a name now."""
        ...

    async def met(self, sender: Sender, address: Address) -> tuple[Person | None, Chat | None]:
        """Returns the person of an account, as `by_sender` does, with the chat at an address.

        Neither for a stranger. The chat may have moved away, or may not be there yet.
        """
        ...

    async def get(self, person: int) -> Person | None: ...

    async def admit(self, sender: Sender, role: Role) -> Person:
        """Makes the sender a person of this role; an existing person keeps the higher role."""
        ...

    async def accounts(self) -> Sequence[tuple[str, Person]]:
        """Returns every account with its person, owners first."""
        ...


class Door(Protocol):
    """The way in: pairing links and the one polite line for strangers."""

    async def offer(self, code_hash: str, expires_at: datetime) -> None:
        """Replaces any earlier pairing code by this one."""
        ...

    async def redeem(self, code_hash: str, sender: Sender, at: datetime) -> Person | None:
        """Makes the sender the owner when the code is live, unused, and there is no owner yet.

        An owner at the terminal does not count as one here, and becomes the same person.
        """
        ...

    async def greet(self, account: str, day: date, most: int) -> bool:
        """Returns True once per account and day, for `most` accounts: the polite line is due.

        Accounts of earlier days are forgotten.
        """
        ...

    async def ignore(self, account: str) -> None:
        """Has no polite line become due for an account any more."""
        ...
