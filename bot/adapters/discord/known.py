"""The part of the program's memory that Discord is compared with after a gap."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import datetime
from typing import Protocol

from bot.domain.talk.message import Address, Presence, RawUpdate


class Known(Protocol):
    """Tells the program's chats on this platform, and until when it listened."""

    @property
    def chats_of(self) -> Callable[[str], Awaitable[Sequence[Address]]]: ...

    @property
    def owners(self) -> Callable[[], Awaitable[Sequence[str]]]: ...

    @property
    def lost(self) -> Callable[[str], Awaitable[Mapping[Address, Presence]]]: ...

    @property
    def heard_until(self) -> Callable[[str], Awaitable[datetime | None]]: ...

    @property
    def waiting_in(self) -> Callable[[Address], Awaitable[Sequence[RawUpdate]]]: ...


class KnownPositions(Known, Protocol):
    """Tells where the sessions of the process before have ended, too."""

    @property
    def reached(self) -> Callable[[str, datetime], Awaitable[str]]: ...
