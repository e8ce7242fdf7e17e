"""Who writes to the bot, and who of them counts."""

from dataclasses import dataclass
from enum import StrEnum

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
    """Someone allowed to command the bot; one person may have several accounts."""

    id: int
    name: str
    role: Role

    @property
    def is_owner(self) -> bool:
        return self.role is Role.OWNER

    def may_decide_for(self, asker: int) -> bool:
        """Only the asker or an owner decides, stops, steers or interrupts."""
        return self.is_owner or self.id == asker
