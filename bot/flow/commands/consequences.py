"""Consequences of a command, carried out once its answer is committed."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Self, TypeAlias, assert_never

from bot.domain.message import Address, InboundMessage
from bot.flow.money.till import Till
from bot.flow.signs.reactions import Reactions
from bot.ports.inbox import InboundRow
from bot.ports.lanes import Lanes
from bot.ports.members import Waiting
from bot.ports.servers import Servers


@dataclass(frozen=True, slots=True)
class Wake:
    """The chat has work now."""

    chat: int


@dataclass(frozen=True, slots=True)
class Interrupt:
    """The running turn of the chat must look at its request to stop."""

    chat: int


@dataclass(frozen=True, slots=True)
class Noted:
    """A mark on the command says that it was heard, until words about its effect come."""

    address: Address
    message_id: str

    @classmethod
    def of(cls, message: InboundMessage) -> Self:
        return cls(message.address, message.message_id)


@dataclass(frozen=True, slots=True)
class Unqueue:
    """These messages wait no longer, and their marks in the chat say so."""

    messages: tuple[Waiting, ...]

    @classmethod
    def of(cls, address: Address, rows: Iterable[InboundRow]) -> Self:
        """Returns it for updates of a chat, as far as they have marks there."""
        told = ((row.message_id, row.received_at) for row in rows)
        return cls(tuple(Waiting(address, id, at) for id, at in told if id is not None))


@dataclass(frozen=True, slots=True)
class Expel:
    """These servers, named by identity, may not run any more."""

    servers: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Recount:
    """Money that was spent counts for another person now."""


Consequence: TypeAlias = Wake | Interrupt | Noted | Unqueue | Expel | Recount


class Consequences:
    def __init__(
        self, lanes: Lanes, reactions: Reactions, servers: Servers | None, till: Till
    ) -> None:
        self._lanes = lanes
        self._reactions = reactions
        self._servers = servers
        self._till = till

    async def follow(self, consequences: Sequence[Consequence]) -> None:
        """Carries them out in their order."""
        for consequence in consequences:
            await self._follow(consequence)

    async def _follow(self, consequence: Consequence) -> None:
        match consequence:
            case Wake(chat):
                self._lanes.wake(chat)
            case Interrupt(chat):
                self._lanes.interrupt(chat)
            case Noted(address, message_id):
                self._reactions.noted(address, message_id)
            case Unqueue(messages):
                for gone in messages:
                    self._reactions.dropped(gone.address, gone.message_id, gone.since)
            case Expel(identities):
                if self._servers is not None:
                    await self._servers.expel(identities)
            case Recount():
                self._till.recount()
            case _:
                assert_never(consequence)
