"""A storm: people ask, approve and deny while the process is killed again and again.

`python -m tests.e2e.storm SECONDS SEED` runs one by hand and prints what it saw. With `postgres`
behind them it runs on a server of its own, which is stopped, killed and cut off as well; with
`discord` people write there instead of on Telegram. With `workers` behind `postgres`, three more
processes carry out the turns, and are killed and stopped for seconds, too.
"""

import asyncio
import os
import random
import re
import signal
import sys
import tempfile
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, nullcontext
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any

from tests.e2e.launching import Launch, Process, fork_server
from tests.e2e.own_server import OwnServer, own_server
from tests.e2e.platforms import DiscordSteward
from tests.e2e.records import ServerRecords
from tests.e2e.stalls import Stalls
from tests.e2e.steward import KEY, Steward
from tests.patience import PATIENCE
from tests.standins.bot_api import BotApi
from tests.standins.discord import Discord
from tests.standins.messages_api import Gate, MessagesApi, ReceivedRequest, Reply, calls, text, tool
from tests.standins.serving import serving
from tests.words import APPROVE, DENY

CHATS = 12
MEAN_LIVES = (0.5, 0.5, 2.0, 6.0)
"""Mean seconds from the first poll of a process to its death."""

_THINKING = 0.5
"""Mean seconds until the model replies."""

_PRESS_SECONDS = 3.0
"""Seconds in which Discord wants an answer to a press; then its app tells that the press failed."""

_IN_STARTING = 0.25
"""The share of the processes that die before they take updates."""

_STOPPED = 0.3
"""The share of the workers that are stopped for seconds before they die."""

_ASKED = re.compile(r"(?:#|ran-)(\d+)")
_ANSWERED = re.compile(r"Answer to (\d+)\.")


class Wish(StrEnum):
    """What a person wants: an answer, or one with a command that they will approve or deny."""

    ASK = "ask"
    APPROVE = "approve"
    DENY = "deny"


@dataclass
class Tally:
    """Counts of a storm; every list of numbers has to be empty."""

    asked: int = 0
    kills: int = 0
    troubles: int = 0
    """Times at which the server was stopped, killed, or cut off."""
    lost: list[int] = field(default_factory=list[int])
    ran_twice: list[int] = field(default_factory=list[int])
    ran_though_denied: list[int] = field(default_factory=list[int])
    out_of_order: list[int] = field(default_factory=list[int])
    doubled: list[int] = field(default_factory=list[int])
    """Answers shown more than once."""
    silent: list[str] = field(default_factory=list[str])
    """Messages of which nothing was heard for a minute, with the end of the chat's screen."""
    dead_cards: list[str] = field(default_factory=list[str])
    """Cards whose buttons stayed though they were pressed once more after the end."""
    growing: list[str] = field(default_factory=list[str])
    """Messages in which an answer grew, and that stayed beside it."""
    untidy: list[str] = field(default_factory=list[str])
    """Rows of the database that nobody works on, and that are not at their end."""
    holds: list[str] = field(default_factory=list[str])
    """Lines of the log about whoever kept everybody waiting."""

    def __str__(self) -> str:
        return (
            f"{self.asked} messages, {self.kills} kills, {self.troubles} troubles of the server: "
            f"{len(self.lost)} lost, "
            f"{len(self.ran_twice)} run twice, {len(self.ran_though_denied)} run though denied, "
            f"{len(self.doubled)} doubled, {len(self.out_of_order)} out of order, "
            f"{len(self.dead_cards)} cards left with buttons, {len(self.growing)} growing messages "
            f"left, {len(self.untidy)} rows untidy, everybody kept waiting {len(self.holds)} times"
        )


class Storm:
    """Twelve people, each in a chat with the bot, and the process that dies beneath them."""

    def __init__(
        self, steward: Steward, seed: int, server: OwnServer | None = None, workers: int = 0
    ) -> None:
        self._steward = steward
        self._server = server
        self._workers = workers
        self._random = random.Random(seed)
        self._people = [steward.person(2000 + n, f"P{n}") for n in range(CHATS)]
        self._wishes: dict[int, Wish] = {}
        self._asked: dict[int, list[int]] = {person.id: [] for person in self._people}
        self._failed: Counter[int] = Counter()
        self._silent: list[str] = []
        self._kills = 0
        self._troubles = 0
        self._at_server = asyncio.Lock()
        self._living: list[Process] = []
        self._over = False
        steward.model.script.rule(self._reply)

    async def rage(self, seconds: float) -> Tally:
        """Lets the storm blow for so long, then waits until all is quiet, and counts."""
        steward, loop = self._steward, asyncio.get_running_loop()
        owners = ",".join(steward.account(person) for person in self._people)
        steward.settings |= {"STEWARD_OWNERS": owners}
        if self._workers:
            steward.settings |= {
                "STEWARD_ROLE": "receive,deliver,schedule,web",
                "STEWARD_WORKSPACE": str(steward.workspace),
            }
        async with asyncio.TaskGroup() as group:
            for person in self._people:
                group.create_task(self._talk(person), name=f"person {person.id}")
            # The database is there before the first death: its making has tests of its own.
            await steward.start()
            await steward.kill()
            for number in range(self._workers):
                group.create_task(self._work(number), name=f"worker {number}")
            until = loop.time() + seconds
            while loop.time() < until:
                await self._live()
            self._over = True
            async with self._at_server:
                await steward.start()
        await steward.recorded()
        tally = await self._counted()
        for process in self._living:
            process.kill()
            await process.wait()
        return tally

    async def _work(self, number: int) -> None:
        """Lives of one worker: some end at a random moment, and some stop for a while."""
        while True:
            process = await self._steward.launched(
                *("run", "--role", "work"),
                STEWARD_HOME=str(self._steward.folder / f"worker{number}"),
            )
            self._living.append(process)
            if self._over:
                return
            await asyncio.sleep(self._random.uniform(2, 12))
            if self._over:
                return
            if self._random.random() < _STOPPED:
                self._troubles += 1
                os.kill(process.pid, signal.SIGSTOP)
                await asyncio.sleep(self._random.uniform(1, 8))
                os.kill(process.pid, signal.SIGCONT)
                await asyncio.sleep(self._random.uniform(0, 2))
            self._living.remove(process)
            process.kill()
            await process.wait()
            self._kills += 1

    async def _live(self) -> None:
        """One life of the process, which ends at a random moment."""
        if self._random.random() < _IN_STARTING:
            process = await self._steward.launched("run")
            await asyncio.sleep(self._random.uniform(0, 0.6))
            process.kill()
            await process.wait()
        else:
            await self._steward.start()
            trouble = asyncio.create_task(self._server_troubled(), name="server")
            await asyncio.sleep(self._random.expovariate(1 / self._random.choice(MEAN_LIVES)))
            trouble.cancel()
            await self._steward.kill()
        self._kills += 1

    async def _server_troubled(self) -> None:
        """Stops, kills or cuts off the server at random moments of a life."""
        while (server := self._server) is not None:
            await asyncio.sleep(self._random.expovariate(1))
            how = self._random.choice((None, None, signal.SIGINT, signal.SIGQUIT))
            # What has begun is ended, so that a later life finds a server.
            await asyncio.shield(asyncio.ensure_future(self._away(server, how)))

    async def _away(self, server: OwnServer, how: signal.Signals | None) -> None:
        async with self._at_server:
            self._troubles += 1
            if how is None:
                await asyncio.to_thread(server.cut)
                return
            await server.stop(how)
            await asyncio.sleep(self._random.uniform(0, 3))
            await server.start()

    async def _talk(self, person: Any) -> None:
        while not self._over:
            for number in [self._say(person, wish) for wish in self._wishes_at_once()]:
                if self._wishes[number] is not Wish.ASK:
                    await self._decide(person, number)
                if not await self._answered(person, number):
                    return

    async def _answered(self, person: Any, number: int) -> bool:
        """Waits for the answer, or for the word that there will be none; False without either."""
        try:
            await self._steward.until(lambda: self._ended(person, number), PATIENCE)
        except AssertionError:
            self._silent.append(f"#{number}: {self._texts(person)[-4:]}")
            return False
        if number not in numbers(self._texts(person)):
            self._failed[person.id] += 1
        return True

    def _wishes_at_once(self) -> list[Wish]:
        """Returns questions, or one wish with a card: a message behind it would set that aside."""
        wish = self._random.choice((Wish.ASK, Wish.ASK, Wish.APPROVE, Wish.DENY))
        return [wish] * self._random.choice((1, 2, 3)) if wish is Wish.ASK else [wish]

    def _say(self, person: Any, wish: Wish) -> int:
        number = len(self._wishes) + 1
        self._wishes[number] = wish
        self._asked[person.id].append(number)
        self._steward.say(f"Please {wish} #{number}", by=person)
        return number

    async def _decide(self, person: Any, number: int) -> None:
        def found() -> Any:
            cards = [c for c in self._cards(person) if f"ran-{number}.txt" in c.text]
            return cards[0] if cards else self._ended(person, number)

        try:
            while (card := await self._steward.until(found, PATIENCE)) is not True:
                label = APPROVE if self._wishes[number] is Wish.APPROVE else DENY
                press = self._steward.press(card, label, person)
                if await self._arrives(press):
                    return
        except AssertionError:
            return

    async def _arrives(self, press: Any) -> bool:
        """Returns False for a press that came to no program, as Discord tells its person."""
        if self._steward.platform == "telegram":
            return True
        try:
            await self._steward.until(lambda: press.answer, _PRESS_SECONDS)
        except AssertionError:
            return False
        return True

    def _reply(self, request: ReceivedRequest) -> Reply:
        """Calls a command where one is wanted, and answers once it has its result."""
        messages: list[Any] = request.body["messages"]
        number = int(_ASKED.findall(str(messages))[-1])
        last = messages[-1]["content"]
        told = any(block["type"] == "tool_result" for block in last)
        if told or self._wishes[number] is Wish.ASK:
            reply = text(f"Answer to {number}.")
        else:
            reply = calls(tool("run_command", {"command": f"echo ran >> ran-{number}.txt"}))
        gate = Gate()
        seconds = self._random.expovariate(1 / _THINKING)
        asyncio.get_running_loop().call_later(seconds, gate.release)
        return reply.held(gate)

    def _texts(self, person: Any) -> list[str]:
        """Returns what stands for good on a person's screen."""
        return [m.text for m in self._steward.screen(person) if not _grows(m)]

    def _cards(self, person: Any) -> list[Any]:
        return [
            message
            for message in self._steward.screen(person)
            if any(button.text.startswith(APPROVE) for row in message.buttons for button in row)
        ]

    def _ended(self, person: Any, number: int) -> bool:
        texts = self._texts(person)
        failed = sum("fault of this program" in text for text in texts)
        return number in numbers(texts) or failed > self._failed[person.id]

    async def _counted(self) -> Tally:
        tally = Tally(len(self._wishes), self._kills, self._troubles, silent=self._silent)
        tally.holds = [h for h in self._steward.holds if not self._steward.excused(h)]
        for person in self._people:
            shown = numbers(self._texts(person))
            asked = self._asked[person.id]
            first = list(dict.fromkeys(shown))
            tally.lost += [n for n in asked if n not in first]
            tally.out_of_order += [n for n, m in zip(first, sorted(first), strict=True) if n != m]
            tally.doubled += [n for n, times in Counter(shown).items() if times > 1]
        for number, wish in self._wishes.items():
            runs = self._runs(number)
            if runs > 1:
                tally.ran_twice.append(number)
            if runs and wish is not Wish.APPROVE:
                tally.ran_though_denied.append(number)
        tally.dead_cards = await self._dead_cards()
        tally.untidy = await self._untidy()
        tally.growing = [
            m.text for person in self._people for m in self._steward.screen(person) if _grows(m)
        ]
        return tally

    async def _untidy(self) -> list[str]:
        """Waits until every row is at its end; returns those that are not."""
        records = self._steward.records
        try:
            await self._steward.eventually(lambda: not records.untidy())
        except AssertionError:
            return records.untidy()
        return []

    def _runs(self, number: int) -> int:
        found = list(self._steward.home.rglob(f"ran-{number}.txt"))
        return sum(len(path.read_text().splitlines()) for path in found)

    async def _dead_cards(self) -> list[str]:
        """Presses each card that still has buttons, which must lose them by it."""
        left: list[str] = []
        for person in self._people:
            for card in self._cards(person):
                press = self._steward.press(card, APPROVE, person)
                await self._steward.answered(press)
                try:
                    await self._steward.until(
                        lambda p=person, c=card: c.id not in {o.id for o in self._cards(p)}, 5
                    )
                except AssertionError:
                    left.append(card.text)
        return left


def _grows(message: Any) -> bool:
    """Tells a message in which an answer grows, on Discord, by its name."""
    posted = getattr(message, "message", None)
    return posted is not None and (posted.nonce or "").startswith("grows-")


def numbers(texts: Any) -> list[int]:
    """Returns the numbers that answers name, in the order of the answers."""
    return [int(number) for told in texts for number in _ANSWERED.findall(told)]


@asynccontextmanager
async def _program(folder: Path, platform: str, launch: Launch) -> AsyncIterator[Steward]:
    """Serves a platform and a model, and yields a program that knows their addresses."""
    telegram, model = BotApi(), MessagesApi(api_key=KEY)
    async with serving(model.app) as model_url, serving(telegram.app) as telegram_url:
        if platform == "telegram":
            steward = Steward(folder, telegram, model, launch)
            steward.reached_at(telegram_url, model_url)
            yield steward
            return
        discord = Discord()
        async with discord.serving() as discord_url:
            there = DiscordSteward(folder, model, launch, discord)
            there.reached_at(telegram_url, model_url)
            there.listens_at(discord_url)
            yield there


async def storm(
    folder: Path,
    seconds: float,
    seed: int,
    server: OwnServer | None = None,
    platform: str = "telegram",
    workers: int = 0,
) -> Tally:
    """Runs a storm in this folder, on SQLite or on a server."""
    stalls = Stalls()
    with fork_server() as forks:
        async with _program(folder, platform, forks.launch) as steward:
            steward.excused = stalls.excuse
            if server is not None:
                steward.records = ServerRecords(server.url)
                steward.settings |= {"STEWARD_DATABASE_URL": server.url}
            try:
                return await Storm(steward, seed, server, workers).rage(seconds)
            finally:
                await steward.abandon()
                stalls.stop()


def main(arguments: Sequence[str]) -> int:
    seconds, seed, words = float(arguments[0]), int(arguments[1]), arguments[2:]
    wanted = own_server() if "postgres" in words else nullcontext()
    platform = "discord" if "discord" in words else "telegram"
    with tempfile.TemporaryDirectory() as folder, wanted as server:
        workers = 3 if "workers" in words else 0
        tally = asyncio.run(storm(Path(folder), seconds, seed, server, platform, workers))
    database = "sqlite" if server is None else "postgres"
    sys.stdout.write(f"{platform}, {database}, {seconds:.0f} s: {tally}\n{vars(tally)}\n")
    return 1 if faults(tally) else 0


def faults(tally: Tally) -> list[object]:
    """Returns what a storm must not leave behind."""
    return [
        *tally.lost,
        *tally.ran_twice,
        *tally.ran_though_denied,
        *tally.out_of_order,
        *tally.doubled,
        *tally.dead_cards,
        *tally.growing,
        *tally.untidy,
        *tally.holds,
    ]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
