"""The costs of Discord beside Telegram: a start, memory, a turn, and talk for others."""

import time
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from benchmarks.figure import Figure, median
from benchmarks.process import MeasuredProcess, started
from benchmarks.scale import Scale
from benchmarks.scripted_model import ANSWER
from benchmarks.stage import Stage, stage
from tests.standins.bot_api import Person
from tests.standins.discord import TOKEN, Discord, User

_ANN = 700_000_000_000_000_042
_ANSWER_SECONDS = 120.0


@dataclass(frozen=True, slots=True)
class _OnDiscord:
    """A process that serves a Discord, and Ann, who talks to it there."""

    discord: Discord
    ann: User
    process: MeasuredProcess

    async def turn(self) -> None:
        before = self._answers()
        self.discord.say(self.ann, "What time is it?")
        await self.discord.wait_for(lambda: self._answers() > before, _ANSWER_SECONDS)

    def _answers(self) -> int:
        return sum(ANSWER in message.text for message in self.discord.screen(self.ann))

    async def turn_cost(self) -> float:
        """Returns the processor time of one turn in ms."""
        return await self.process.cost(self.turn)

    async def talk_cost(self, count: int) -> float:
        """Returns the processor time in ms for each of `count` messages of a server."""
        [guild] = self.discord.places.guilds.values()

        async def talk() -> None:
            for number in range(count):
                speaker = guild.members[number % len(guild.members)]
                self.discord.say(speaker, f"Where is hat {number}?", at=guild.channels[0])
            await self.discord.sent()

        return await self.process.cost(talk) / count


async def measure(folder: Path, scale: Scale) -> AsyncIterator[Figure]:
    """Compares with Telegram in the same program, and with discord.py alone."""
    begins, polls, alone = list[float](), list[float](), 0.0
    for number in range(scale.starts):
        async with stage(folder / f"start{number}") as on:
            [person] = on.people(1)
            async with on.steward([person]) as process:
                polls.append(time.time() - process.started)
                alone = await _resident(on, person, process)
            async with _steward(on, on.people(1)) as (_, seconds):
                begins.append(seconds)
    yield Figure("Start to the first poll, Telegram alone", median(polls), "s")
    yield Figure("Start to READY, with Telegram beside it", median(begins), "s", aim="≤ 1.5 s")
    async with stage(folder / "steward") as on, stage(folder / "bare") as bare_on:
        [person] = on.people(1)
        async with _steward(on, [person]) as (ours, _), _bare(bare_on) as floor:
            more = await _resident(on, person, ours.process) - alone
            yield Figure("Resident with Discord, over Telegram alone", more, "MB", aim="≤ 45 MB")
            async for figure in _turns(on, person, ours, floor, scale):
                yield figure
            here, bare = list[float](), list[float]()
            for _ in range(scale.starts):
                here.append(await ours.talk_cost(scale.talk))
                bare.append(await floor.talk_cost(scale.talk))
    name = f"Message of a server not for the bot, {scale.talk:,} at once"
    yield Figure(name, median(here), "ms", median(bare), "≤ 0.3 ms")


async def _resident(on: Stage, person: Person, process: MeasuredProcess) -> float:
    """Returns the memory after a turn on Telegram: then all that turns need is loaded."""
    await on.turn(person)
    await process.at_rest()
    return process.resident_mb()


async def _turns(
    on: Stage, person: Person, ours: _OnDiscord, floor: _OnDiscord, scale: Scale
) -> AsyncIterator[Figure]:
    for _ in range(scale.around):
        await on.turn(person)
        await ours.turn()
        await floor.turn()
    here, there, bare = list[float](), list[float](), list[float]()
    for _ in range(scale.around):
        here.append(await ours.turn_cost())
        there.append(await ours.process.cost(lambda: on.turn(person)))
        bare.append(await floor.turn_cost())
    yield Figure("Turn on Discord: processor time", median(here), "ms", median(bare))
    over = median(here) - median(there)
    yield Figure("… over the same turn on Telegram", over, "ms", aim="≤ 15 ms")


@asynccontextmanager
async def _steward(on: Stage, people: Sequence[Person]) -> AsyncGenerator[tuple[_OnDiscord, float]]:
    """Runs the program on both platforms; yields after its READY, with the seconds until then."""
    async with _served() as (discord, ann, access):
        owners = [f"telegram:{person.id}" for person in people]
        settings = {**access, "STEWARD_OWNERS": ",".join([*owners, f"discord:{ann.id}"])}
        async with on.steward(people, settings) as process:
            await discord.listening()
            yield _OnDiscord(discord, ann, process), time.time() - process.started


@asynccontextmanager
async def _bare(on: Stage) -> AsyncGenerator[_OnDiscord]:
    """Runs discord.py and the model's SDK alone; yields after READY."""
    async with _served() as (discord, ann, access):
        surroundings = on.access() | access
        async with started(["benchmarks.bare_discord"], on.folder, surroundings) as process:
            await discord.listening()
            yield _OnDiscord(discord, ann, process)


@asynccontextmanager
async def _served() -> AsyncGenerator[tuple[Discord, User, dict[str, str]]]:
    """Serves a Discord with Ann and a server of fifty; yields the settings that lead to it."""
    discord = Discord()
    ann = discord.person(_ANN, "Ann")
    members = [discord.person(_ANN + number, f"Member {number}") for number in range(1, 51)]
    discord.guild("Village", members[0], *members[1:])
    async with discord.serving() as url:
        yield discord, ann, {"DISCORD_BOT_TOKEN": TOKEN, "DISCORD_API_URL": url}
