"""The surroundings of a delivery: the messages, their ways out, and who hears of the rest."""

from collections.abc import Callable, Mapping

from bot.domain.value import frozen
from bot.flow.delivery.courier import ToldOfMove
from bot.flow.delivery.giving_up import GivenUp
from bot.ports.channel import Channel
from bot.ports.clock import Clock
from bot.ports.outbox import WholeOutbox


@frozen
class Outlet:
    """The messages that are owed, and the way of each to its screen."""

    outbox: WholeOutbox
    channels: Mapping[str, Channel]
    clock: Clock
    works: Callable[[], bool] = lambda: True
    """Tells if nobody waits for the store to work again."""


@frozen
class Reports:
    """The parts that hear of a message that is shown nowhere, and of a chat that has moved."""

    given_up: GivenUp
    moved: ToldOfMove
