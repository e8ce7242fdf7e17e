"""The time zones that this machine knows, found by the words of people."""

import asyncio
from collections.abc import Collection
from datetime import datetime
from zoneinfo import ZoneInfo, available_timezones

from bot.domain.clock.zones import city, meant, similar
from bot.domain.text.markdown import inline_code

_SHOWN = 60
"""Characters of words that name no zone."""


class ZoneNames:
    def __init__(self) -> None:
        self._known: Collection[str] = ()

    async def meant(self, words: str) -> str | None:
        """Returns the zone of a city, of a name or of a difference; None when there is none."""
        return meant(words, await self._all())

    async def unknown(self, words: str) -> str:
        """Returns what to say about words that name no zone."""
        near = " or ".join(city(one) for one in similar(words, await self._all()))
        hint = f"Did you mean {near}?" if near else "Try a larger city with the same time."
        return f"I do not know a time zone for {inline_code(words[:_SHOWN])}. {hint}"

    async def _all(self) -> Collection[str]:
        if not self._known:
            self._known = await asyncio.to_thread(available_timezones)
        return self._known


def from_now_on(zone: str, now: datetime) -> str:
    """Returns the sentence about a zone that was chosen."""
    there = now.astimezone(ZoneInfo(zone))
    return f"From now on I use {inline_code(zone)}: it is {there:%H:%M} there."
