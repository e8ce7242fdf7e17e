"""A platform that knows who owns which group, and does not tell when a test says so."""

from dataclasses import dataclass, field

from bot.domain.talk.errors import ChannelError
from bot.domain.talk.message import Address
from bot.domain.talk.person import Sender


@dataclass(slots=True)
class FakeGroups:
    """`owners` holds pairs of a group's number and an account, as `admins` does for the others who
    run it; each question is in `asked`.

    Everyone is in every group but for the pairs of `absent`.
    """

    owners: set[tuple[str, str]] = field(default_factory=set[tuple[str, str]])
    admins: set[tuple[str, str]] = field(default_factory=set[tuple[str, str]])
    absent: set[tuple[str, str]] = field(default_factory=set[tuple[str, str]])
    fault: ChannelError | None = None
    threads_allowed: bool = True
    asked: list[str] = field(default_factory=list[str])
    left: list[str] = field(default_factory=list[str])

    async def owned_by(self, group: Address, sender: Sender) -> bool:
        self.asked.append(sender.key)
        if self.fault is not None:
            raise self.fault
        return (group.chat, sender.key) in self.owners

    async def run_by(self, group: Address, sender: Sender) -> bool:
        return await self.owned_by(group, sender) or (group.chat, sender.key) in self.admins

    async def may_open_threads(self, group: Address) -> bool:
        if self.fault is not None:
            raise self.fault
        return self.threads_allowed

    async def leave(self, group: Address) -> None:
        if self.fault is not None:
            raise self.fault
        self.left.append(group.chat)

    async def includes(self, group: Address, sender: Sender) -> bool:
        self.asked.append(sender.key)
        if self.fault is not None:
            raise self.fault
        return (group.chat, sender.key) not in self.absent
