"""The owner, the administrators and the members of a group, from its platform."""

from typing import Protocol

from bot.domain.talk.message import Address
from bot.domain.talk.person import Sender


class Groups(Protocol):
    async def owned_by(self, group: Address, sender: Sender) -> bool:
        """Returns True when this account owns the group; raises ChannelError within seconds."""
        ...

    async def run_by(self, group: Address, sender: Sender) -> bool:
        """Returns True when this account owns the group or is one of its administrators.

        Raises ChannelError within seconds.
        """
        ...

    async def may_open_threads(self, group: Address) -> bool:
        """Returns True when the bot has the right to; raises ChannelError within seconds."""
        ...

    async def leave(self, group: Address) -> None:
        """Leaves a group for good, or its whole server; raises ChannelError within seconds."""
        ...

    async def includes(self, group: Address, sender: Sender) -> bool:
        """Returns True when this account is in the group; raises ChannelError within seconds."""
        ...
