"""The tool that tells the time."""

import asyncio
from datetime import UTC
from difflib import get_close_matches
from typing import Annotated
from zoneinfo import ZoneInfo, available_timezones

from pydantic import Field

from bot.domain.talk.errors import ToolFailure
from bot.domain.text.visible_text import clipped, shown_name
from bot.domain.tools.tool import ToolOutput
from bot.ports.arguments_tool import Arguments, ArgumentsTool, Text
from bot.ports.clock import Clock
from bot.ports.tool import Place, Seen


class CurrentTimeArguments(Arguments):
    timezone: Annotated[
        Text | None, Field(description="IANA name, e.g. Europe/Berlin; default: the chat's.")
    ] = None


class CurrentTime(ArgumentsTool[CurrentTimeArguments]):
    """Tells date, time and day of the week in a time zone."""

    name = "current_time"
    summary = "tell the date and the time"
    description = "Tell the current date, week day and time in a time zone."
    takes = CurrentTimeArguments

    def __init__(self, clock: Clock) -> None:
        self._clock = clock

    async def perform(
        self, arguments: CurrentTimeArguments, place: Place, seen: Seen
    ) -> ToolOutput:
        name = arguments.timezone or place.timezone
        now = self._clock.now()
        try:
            local = now.astimezone(ZoneInfo(name))
        except (KeyError, ValueError, OSError):
            likely = await asyncio.to_thread(_likely, name)
            hint = f"; did you mean {' or '.join(likely)}?" if likely else ""
            shown = shown_name(clipped(name, 60))
            raise ToolFailure(f"there is no time zone “{shown}”{hint}") from None
        text = f"{local:%A, %Y-%m-%d %H:%M:%S %z} ({name}) · UTC {now.astimezone(UTC):%H:%M:%S}"
        return ToolOutput(text)


def _likely(name: str) -> list[str]:
    """Returns up to three known zones that resemble the name, by zone or by city."""
    known = {zone.lower(): zone for zone in sorted(available_timezones())}
    wanted = name[:60].lower().replace(" ", "_")
    cities = [zone for lower, zone in known.items() if lower.rpartition("/")[2] == wanted]
    close = get_close_matches(wanted, known, n=3, cutoff=0.7)
    return list(dict.fromkeys([*cities, *(known[match] for match in close)]))[:3]
