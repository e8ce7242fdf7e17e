"""Chats beside one group that asks more than the platform lets the bot answer there."""

import asyncio
import time
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

from benchmarks.figure import Figure, median
from benchmarks.scale import Scale
from benchmarks.scripted_model import ANSWER, naming
from benchmarks.stage import REAL_RATES, Stage, stage
from tests.standins.bot_api import BotApi, Call, Chat, Person, Rates

_TOLD_SILENT = Rates(group_per_minute=3)
"""A rate below the program's own, so that the platform also tells the group to be silent."""

_PAUSE = 0.2
_TALK_EACH_TIME = 3


async def measure(folder: Path, scale: Scale) -> AsyncIterator[Figure]:
    """Lets the same people write at the same pace, first without the group, then with it."""
    calm = await _delays(folder / "calm", scale.flood, flooded=False)
    beside = await _delays(folder / "flooded", scale.flood, flooded=True)
    later = [with_group - without for with_group, without in zip(beside, calm, strict=True)]
    name = "Beside a flooded group: other chats answered later by"
    yield Figure(name, median(later), "ms", aim="≤ 100 ms")
    yield Figure("… the one that waited most", max(later), "ms", aim="≤ 100 ms")
    yield Figure("… their message to answer without the group", median(calm), "ms")


async def _delays(folder: Path, chats: int, *, flooded: bool) -> list[float]:
    """Returns the milliseconds that each person waited."""
    async with stage(folder, naming, rates=_TOLD_SILENT) as on:
        people = on.people(chats + 1)
        async with on.steward(people, REAL_RATES) as process:
            await on.turn(people[0])
            await process.at_rest()
            flood = _Flood(on.bot_api, people) if flooded else None
            if flood is not None:
                await flood.begin()
            return [await _delay(on, person, flood) for person in people[1:]]


async def _delay(on: Stage, person: Person, flood: "_Flood | None") -> float:
    await asyncio.sleep(_PAUSE)
    if flood is not None:
        flood.go_on()
    began = time.time()
    on.bot_api.say(person, "What of #1?")
    [answer] = await on.bot_api.wait_for(lambda: _answers_to(on.bot_api, person), seconds=60)
    return (answer.at - began) * 1000


def _answers_to(api: BotApi, person: Person) -> list[Call]:
    """Returns the answers to a person, without notices about the group."""
    answers = (c for c in api.calls_of("sendMessage") if str(c.params["text"]).startswith(ANSWER))
    return [call for call in answers if int(call.params["chat_id"]) == person.id]


class _Flood:
    """A group whose members all ask the bot, again and again."""

    def __init__(self, api: BotApi, members: Sequence[Person]) -> None:
        self._api = api
        self._members = members
        self._asked = 0
        self.group: Chat = api.group("Village", *members)

    async def begin(self) -> None:
        """Asks until the platform told the bot to be silent there."""
        for _ in range(_TOLD_SILENT.group_per_minute + 1):
            self.go_on()
        await self._api.wait_for(lambda: self._api.floods, seconds=60)

    def go_on(self) -> None:
        for _ in range(_TALK_EACH_TIME):
            asker = self._members[self._asked % len(self._members)]
            self._api.say(
                asker, f"@{self._api.bot.username} what of #{self._asked}?", chat=self.group
            )
            self._asked += 1
