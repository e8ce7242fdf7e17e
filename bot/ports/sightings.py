"""Known messages of a platform, by which one is found whose confirmation was lost."""

from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from datetime import datetime
from typing import TypeAlias

from bot.domain.talk.message import Address
from bot.domain.value import frozen


@frozen
class Sighting:
    """A message of a platform that is known: the bot's own, or a person's."""

    address: Address
    message_id: str
    at: datetime
    """When its id became known."""


async def _never(_: str) -> bool:
    return False


@frozen
class Traces:
    """Leads to a message of the bot that was sent after `since`, if it was sent at all."""

    since: datetime
    seen: Sequence[Sighting]
    """The newest known messages of the platform, in no order; none of them is the one."""
    before: Sequence[str] = ()
    """Ids of messages of the same chat that stand above it."""
    is_known: Callable[[str], Awaitable[bool]] = _never
    """Tells of an id in the same chat if it is that of a known message of the bot, however old."""
    until: datetime | None = None
    """When this process began to send alone; None for the beginning of its run.

    If the message is from before that, whatever this process sent after it stands below.
    """


Pace: TypeAlias = Callable[[], AbstractAsyncContextManager[None]]
"""Returns a block that begins once there is room for a call which shows nothing."""


def unhurried() -> AbstractAsyncContextManager[None]:
    """Returns a block that begins at once."""
    return nullcontext()
