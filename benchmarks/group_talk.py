"""The cost of a group's talk that is not meant for the bot."""

from collections.abc import AsyncIterator
from pathlib import Path

from benchmarks.figure import Figure, median
from benchmarks.process import MeasuredProcess
from benchmarks.scale import Scale
from benchmarks.stage import Stage, stage
from tests.standins.bot_api import Chat, Person

_ALONE = 15
"""Messages for the median, each fetched by a poll of its own."""


class _Listener:
    """A bot, the group it listens to, and a person who gets answers in private."""

    def __init__(self, on: Stage, process: MeasuredProcess, person: Person) -> None:
        self._on = on
        self._process = process
        self._person = person
        members = on.people(50)
        self._group: Chat = on.bot_api.group("Village", *members)
        self._members = members

    async def burst(self, count: int) -> float:
        """Returns the processor time in ms for each of `count` messages that come at once."""
        return await self._cost(count) / count

    async def alone(self) -> float:
        """Returns the processor time in ms of one message that comes alone, with its own poll."""
        return median([await self._cost(1) for _ in range(_ALONE)])

    async def _cost(self, count: int) -> float:
        await self._process.at_rest()
        before = self._process.cpu_ms()
        for number in range(count):
            speaker = self._members[number % len(self._members)]
            self._on.bot_api.say(
                speaker, f"Has anybody seen my hat, number {number}?", chat=self._group
            )
        await self._taken()
        await self._process.at_rest()
        return self._process.cpu_ms() - before

    async def _taken(self) -> None:
        updates = self._on.bot_api.updates
        await self._on.bot_api.wait_for(lambda: not updates.pending and updates.polling, 120)

    async def warm(self) -> None:
        await self._on.turn(self._person)
        await self.burst(200)


async def measure(folder: Path, scale: Scale) -> AsyncIterator[Figure]:
    """Compares with the floor, which fetches the same messages and does nothing with them."""
    async with stage(folder / "steward") as on, stage(folder / "bare") as bare_on:
        [person], [bare_person] = on.people(1), bare_on.people(1)
        async with on.steward([person]) as process, bare_on.bare_bot() as bare_process:
            ours = _Listener(on, process, person)
            floor = _Listener(bare_on, bare_process, bare_person)
            for listener in (ours, floor):
                await listener.warm()
            together = await ours.burst(scale.talk), await floor.burst(scale.talk)
            alone = await ours.alone(), await floor.alone()
    name = "Group message not for the bot: processor time"
    yield Figure(f"{name}, {scale.talk:,} at once", together[0], "ms", together[1], "≤ 1 ms")
    yield Figure("… each fetched by a poll of its own", alone[0], "ms", alone[1])
