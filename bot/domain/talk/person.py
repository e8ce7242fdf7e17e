"""Senders, and the persons among them whom the bot obeys."""

from collections.abc import Iterable
from enum import StrEnum

from bot.domain.talk.reach import Reach, farthest, reaches
from bot.domain.talk.rights import EVERYTHING, UNBOUND, Pace, Rights
from bot.domain.talk.session import PAGE
from bot.domain.value import frozen

AT_THE_MACHINE = "terminal"
"""The channel of the machine's own terminal; the person there is an owner on it."""

ON_NO_PLATFORM = (AT_THE_MACHINE, PAGE)
"""The channels of this machine: its terminal, and its page in a browser."""


class Role(StrEnum):
    OWNER = "owner"
    MEMBER = "member"


@frozen
class Sender:
    """A platform's account, as the platform names it."""

    channel: str
    user_id: str
    name: str

    @property
    def key(self) -> str:
        return f"{self.channel}:{self.user_id}"


@frozen
class Person:
    """Someone allowed to command the bot; one person may have several accounts.

    `rights` and `pace` are what owners set for a member, a pace of None being the common one. For
    an owner neither counts. `about` is what they say about themselves.
    """

    id: int
    name: str
    role: Role
    rights: Rights = EVERYTHING
    pace: Pace | None = None
    about: str = ""
    timezone: str | None = None

    @property
    def is_owner(self) -> bool:
        return self.role is Role.OWNER

    @property
    def effective_rights(self) -> Rights:
        return EVERYTHING if self.is_owner else self.rights

    def effective_pace(self, common: Pace) -> Pace:
        """Returns the pace that counts; members without a pace of their own have the common one."""
        if self.is_owner:
            return UNBOUND
        return common if self.pace is None else self.pace

    def may_decide_for(self, asker: int) -> bool:
        """Returns true for the asker and owners: only they decide, stop, steer or interrupt."""
        return self.is_owner or self.id == asker

    def may_approve(self, asker: int, reach: Reach) -> bool:
        """Returns true for owners, and for the asker whose level covers a call of this reach.

        Cards, plans, rules, calls of tasks and undo all ask this one question.
        """
        own = self.id == asker and reaches(farthest(self.rights.level), reach)
        return self.is_owner or own


def owner_names(accounts: Iterable[tuple[str, Person]]) -> tuple[str, ...]:
    """Returns the name of each owner once."""
    return tuple({person.id: person.name for _, person in accounts if person.is_owner}.values())


def owned_on_a_platform(accounts: Iterable[tuple[str, Person]]) -> bool:
    """Returns true when an owner has an account on a platform; terminal and page are none."""
    return any(p.is_owner and key.partition(":")[0] not in ON_NO_PLATFORM for key, p in accounts)
