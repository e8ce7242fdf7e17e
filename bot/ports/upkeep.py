"""Upkeep of the store: old rows are removed in small bites, and the sizes are measured."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Protocol

from bot.domain.talk.keeping import Ageing
from bot.domain.text.visible_text import size
from bot.domain.value import frozen

_WEEK = timedelta(days=7)
_LEAST = 1_000_000
"""Bytes below which a size says nothing: an empty table has pages, too."""


@frozen
class Sizes:
    """The bytes of each part of the store at one time, in a fixed order."""

    at: datetime
    parts: Mapping[str, int]

    @property
    def whole(self) -> int:
        return sum(self.parts.values())

    def told(self, most: int | None = None) -> str:
        """Names the largest parts with their sizes, at `most` so many; empty for a small store."""
        largest = sorted(self.parts.items(), key=lambda part: -part[1])[:most]
        return ", ".join(f"{name} {size(of)}" for name, of in largest if of >= _LEAST)


@frozen
class Bite:
    """The end of one bite."""

    removed: int
    more: bool
    """True when something of this kind may still be too old."""


@frozen
class KeptSizes:
    """The sizes now and before, and when old things were last removed."""

    newest: Sizes | None = None
    before: Sizes | None = None
    """The newest that are at least a week older, else the oldest; None where there is one alone."""
    swept_at: datetime | None = None


def grown(kept: KeptSizes) -> str:
    """Returns how much a database grows in a week; empty while that is not known."""
    if kept.newest is None or kept.before is None:
        return ""
    return f", {_by(_a_week(kept.newest, kept.before))} a week"


def _a_week(newest: Sizes, before: Sizes) -> int:
    return int((newest.whole - before.whole) * (_WEEK / (newest.at - before.at)))


def _by(bytes: int) -> str:
    return f"{size(bytes)} more" if bytes >= 0 else f"{size(-bytes)} less"


class Upkeep(Protocol):
    async def is_ours(self) -> bool:
        """Returns True while this process alone does the upkeep."""
        ...

    async def kept(self) -> KeptSizes: ...

    async def bite(self, passing: Ageing, before: datetime, now: datetime) -> Bite:
        """Removes some rows of a kind that are older, in one short change."""
        ...

    async def measure(self, now: datetime, *, swept: bool) -> None:
        """Notes the sizes of today, and that everything too old is removed if it is."""
        ...


class NoUpkeep:
    """A store that keeps everything."""

    async def is_ours(self) -> bool:
        return False

    async def kept(self) -> KeptSizes:
        return KeptSizes()

    async def bite(self, passing: Ageing, before: datetime, now: datetime) -> Bite:
        return Bite(0, more=False)

    async def measure(self, now: datetime, *, swept: bool) -> None:
        return None
