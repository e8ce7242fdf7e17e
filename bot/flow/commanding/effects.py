"""The consequences of a command, as values: they follow once its answer is committed."""

from collections.abc import Iterable
from typing import Self, TypeAlias

from bot.domain.talk.message import Address, InboundMessage
from bot.domain.value import frozen
from bot.ports.inbox import InboundRow
from bot.ports.members import Waiting


@frozen
class Wake:
    """The chat has work now."""

    chat: int


@frozen
class Interrupt:
    """The running turn of the chat must look at its request to stop."""

    chat: int


@frozen
class Noted:
    """A mark on the command says that it was heard, until words about its effect come."""

    address: Address
    message_id: str

    @classmethod
    def of(cls, message: InboundMessage) -> Self:
        return cls(message.address, message.message_id)


@frozen
class Unqueue:
    """These messages wait no longer, and their marks in the chat say so."""

    messages: tuple[Waiting, ...]

    @classmethod
    def of(cls, address: Address, rows: Iterable[InboundRow]) -> Self:
        """Returns it for updates of a chat, as far as they have marks there."""
        told = ((row.message_id, row.received_at) for row in rows)
        return cls(tuple(Waiting(address, id, at) for id, at in told if id is not None))


@frozen
class Expel:
    """These servers, named by identity, may not run any more."""

    servers: tuple[str, ...]


@frozen
class Recount:
    """Money that was spent counts for another person now."""


Consequence: TypeAlias = Wake | Interrupt | Noted | Unqueue | Expel | Recount
