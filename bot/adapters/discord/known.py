"""The part of the program's memory that Discord is compared with after a gap."""

from collections.abc import Awaitable, Callable, Collection, Sequence
from datetime import datetime
from typing import Protocol

from bot.domain.message import Address


class Known(Protocol):
    """Tells the program's chats on this platform, and until when it listened."""

    @property
    def chats_of(self) -> Callable[[str], Awaitable[Sequence[Address]]]: ...

    @property
    def left(self) -> Callable[[str], Awaitable[Collection[Address]]]: ...

    @property
    def heard_until(self) -> Callable[[str], Awaitable[datetime | None]]: ...
