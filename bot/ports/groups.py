"""Who a group belongs to and who is in it, as its platform tells."""

from typing import Protocol

from bot.domain.message import Address
from bot.domain.person import Sender


class Groups(Protocol):
    async def owned_by(self, group: Address, sender: Sender) -> bool:
        """Whether the group's owner is this account now; raises ChannelError within seconds."""
        ...

    async def includes(self, group: Address, sender: Sender) -> bool:
        """Whether this account is in the group now; raises ChannelError within seconds."""
        ...
