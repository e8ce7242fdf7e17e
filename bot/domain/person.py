"""Who writes to the bot, and who of them counts."""

from dataclasses import dataclass
from enum import StrEnum

from bot.domain.rights import EVERYTHING, UNBOUND, Pace, Rights

AT_THE_MACHINE = "terminal"
"""The channel of whoever sits at the machine itself: an owner by that, and of no other channel."""


class Role(StrEnum):
    OWNER = "owner"
    MEMBER = "member"


@dataclass(frozen=True, slots=True)
class Sender:
    """A platform's account, as the platform names it."""

    channel: str
    user_id: str
    name: str

    @property
    def key(self) -> str:
        return f"{self.channel}:{self.user_id}"


@dataclass(frozen=True, slots=True)
class Person:
    """Someone allowed to command the bot; one person may have several accounts.

    `rights` and `pace` are what owners set for a member, a pace of None being the common one. For
    an owner neither counts.
    """

    id: int
    name: str
    role: Role
    rights: Rights = EVERYTHING
    pace: Pace | None = None

    @property
    def is_owner(self) -> bool:
        return self.role is Role.OWNER

    @property
    def effective_rights(self) -> Rights:
        return EVERYTHING if self.is_owner else self.rights

    def effective_pace(self, common: Pace) -> Pace:
        """The pace that counts; `common` is that of members without one of their own."""
        if self.is_owner:
            return UNBOUND
        return common if self.pace is None else self.pace

    def may_decide_for(self, asker: int) -> bool:
        """Only the asker or an owner decides, stops, steers or interrupts."""
        return self.is_owner or self.id == asker

    def may_approve_for(self, asker: int) -> bool:
        """Denying and stopping are free; to let a change happen an asker needs the right."""
        return self.is_owner or (self.id == asker and self.rights.approve)
