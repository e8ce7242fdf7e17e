"""A storm: people ask, approve and deny while the process is killed again and again.

`python -m tests.e2e.storm SECONDS SEED` runs one by hand and prints what it saw. With `postgres`
behind them it runs on a server of its own, which is stopped, killed and cut off as well; with
`discord` people write there instead of on Telegram. With `workers` behind `postgres`, three more
processes carry out the turns, and are killed and stopped for seconds, too; with `full` the disk of
the server is full now and then. With `1000x10` a thousand people write, until each has asked ten
times.
"""

import asyncio
import os
import random
import re
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, nullcontext
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any, TypeVar

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

MEAN_LIVES = (0.5, 0.5, 2.0, 6.0)
"""Mean seconds from the first poll of a process to its death."""

_THINKING = 0.5
"""Mean seconds until the model replies."""

_PRESS_SECONDS = 3.0
"""Seconds in which Discord wants an answer to a press; then its app tells that the press failed."""

_IN_STARTING = 0.25
"""The share of the processes that die before they take updates."""

_SOON = 4
"""Troubles of the server a second until each kind has come once; then there is one a second."""

_FULL = 0.3
"""The share of the server's troubles that are a full disk, where it has a disk of its own."""

ROOM = 1 << 30
"""Bytes of the disk that a server has of its own."""

CANNOT_WORK_NOW = 75
"""The exit code of a program that starts while its database cannot be written."""

_PAUSE_OF_SUPERVISOR = 1.0
_START_SECONDS = 5.0
"""Seconds within which a worker that cannot start has ended."""

_STOPPED = 0.3
"""The share of the processes over a server that are stopped for seconds before they die."""

_ASKED = re.compile(r"(?:#|ran-)(\d+)")
_ANSWERED = re.compile(r"Answer to (\d+)\.")
_CROWD = re.compile(r"\d+x\d+")

T = TypeVar("T")


_FEW = 50
"""People whom each event may look at; of more each looks by itself, now and then."""

_LONGER_LIVES = 100
"""People above whom troubles are rarer: else the work of so many would never be done."""

_LOOKS_A_SECOND = 500
"""Looks of all people together, where there are many."""


class Trouble(StrEnum):
    """What a storm does besides killing the process with the doors."""

    CUT = "connections cut"
    STOP = "server stopped"
    KILL = "server killed"
    FULL = "disk full"
    WORKER_KILLED = "worker killed"
    WORKER_STOPPED = "worker stopped for seconds"
    DOORS_STOPPED = "process with the doors stopped for seconds"


_OF_SERVER = (Trouble.CUT, Trouble.STOP, Trouble.KILL)
_OF_WORKERS = (Trouble.WORKER_KILLED, Trouble.WORKER_STOPPED, Trouble.DOORS_STOPPED)
_SIGNALS = {Trouble.STOP: signal.SIGINT, Trouble.KILL: signal.SIGQUIT}


class Wish(StrEnum):
    """What a person wants: an answer, or one with a command that they will approve or deny."""

    ASK = "ask"
    APPROVE = "approve"
    DENY = "deny"


@dataclass(frozen=True, kw_only=True)
class Forecast:
    """What is to come; the same seed brings the same moments."""

    seconds: float
    seed: int
    chats: int = 12
    turns: int = 0
    """Questions of each person, which all have to be asked; 0 for as many as there is time for."""
    platform: str = "telegram"
    workers: int = 0
    full: bool = False
    """Whether the disk of the server is full from time to time; it has one of its own."""


@dataclass
class Tally:
    """Counts of a storm; every list of numbers has to be empty."""

    asked: int = 0
    kills: int = 0
    troubles: Counter[Trouble] = field(default_factory=Counter[Trouble])
    never: list[Trouble] = field(default_factory=list[Trouble])
    """Troubles that belong to the storm and did not come."""
    lost: list[int] = field(default_factory=list[int])
    ran_twice: list[int] = field(default_factory=list[int])
    ran_though_denied: list[int] = field(default_factory=list[int])
    out_of_order: list[int] = field(default_factory=list[int])
    doubled: list[int] = field(default_factory=list[int])
    """Answers shown more than once."""
    silent: list[str] = field(default_factory=list[str])
    """Messages of which nothing was heard for a minute, with the end of the chat's screen."""
    histories: list[str] = field(default_factory=list[str])
    """Of each chat in which something was lost or doubled: its screen, and its rows."""
    dead_cards: list[str] = field(default_factory=list[str])
    """Cards whose buttons stayed though they were pressed once more after the end."""
    growing: list[str] = field(default_factory=list[str])
    """Messages in which an answer grew, and that stayed beside it."""
    untidy: list[str] = field(default_factory=list[str])
    """Rows of the database that nobody works on, and that are not at their end."""
    fell: list[int] = field(default_factory=list[int])
    """Exit codes of workers that ended by themselves, though they had no reason to."""
    holds: list[str] = field(default_factory=list[str])
    """Lines of the log about whoever kept everybody waiting."""

    def __str__(self) -> str:
        return (
            f"{self.asked} messages, {self.kills} kills, "
            f"{', '.join(f'{times} × {each}' for each, times in self.troubles.items())}: "
            f"{len(self.lost)} lost, "
            f"{len(self.ran_twice)} run twice, {len(self.ran_though_denied)} run though denied, "
            f"{len(self.doubled)} doubled, {len(self.out_of_order)} out of order, "
            f"{len(self.dead_cards)} cards left with buttons, {len(self.growing)} growing messages "
            f"left, {len(self.untidy)} rows untidy, {len(self.fell)} workers ended by themselves, "
            f"everybody kept waiting {len(self.holds)} times"
        )


class Storm:
    """People, each in a chat with the bot, and the process that dies beneath them."""

    def __init__(
        self, steward: Steward, forecast: Forecast, server: OwnServer | None = None
    ) -> None:
        self._steward = steward
        self._server = server
        self._forecast = forecast
        self._random = random.Random(forecast.seed)
        self._people = [steward.person(2000 + n, f"P{n}") for n in range(forecast.chats)]
        self._patience = PATIENCE * max(1, forecast.chats / _FEW)
        self._talking = forecast.chats
        self._long = max(1.0, forecast.chats / _LONGER_LIVES)
        self._wishes: dict[int, Wish] = {}
        self._asked: dict[int, list[int]] = {person.id: [] for person in self._people}
        self._failed: Counter[int] = Counter()
        self._silent: list[str] = []
        self._kills = 0
        self._troubles: Counter[Trouble] = Counter()
        self._to_come = [
            *(_OF_SERVER if server is not None else ()),
            *((Trouble.FULL,) if forecast.full else ()),
            *(_OF_WORKERS if forecast.workers else ()),
        ]
        """The troubles of this storm, each of which has to come at least once."""
        self._filling: asyncio.Task[None] | None = None
        self._fell: list[int] = []
        self._at_server = asyncio.Lock()
        self._living: list[Process] = []
        self._over = False
        steward.model.script.rule(self._reply)

    async def rage(self) -> Tally:
        """Lets the storm blow as foreseen, then waits until all is quiet, and counts."""
        steward, loop = self._steward, asyncio.get_running_loop()
        owners = ",".join(steward.account(person) for person in self._people)
        steward.settings |= {"STEWARD_OWNERS": owners}
        if self._forecast.workers:
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
            for number in range(self._forecast.workers):
                group.create_task(self._work(number), name=f"worker {number}")
            until = loop.time() + self._forecast.seconds
            latest = until + PATIENCE
            while (
                loop.time() < until
                or (self._forecast.turns and self._talking)
                or (self._unseen(*Trouble) and loop.time() < latest)
            ):
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
            # The last one stays, once it is sure that it does not end for what was before.
            last = self._over
            within = _START_SECONDS if last else self._random.uniform(2, 12) * self._long
            if await self._fallen(process, within):
                self._living.remove(process)
                continue
            if last or self._over:
                return
            if self._unseen(Trouble.WORKER_STOPPED) or self._random.random() < _STOPPED:
                await self._stopped(process.pid, Trouble.WORKER_STOPPED)
            self._living.remove(process)
            process.kill()
            await process.wait()
            self._kills += 1
            self._troubles[Trouble.WORKER_KILLED] += 1

    def _unseen(self, *kinds: Trouble) -> list[Trouble]:
        """Returns those of these kinds that have to come and have not come yet."""
        return [each for each in self._to_come if each in kinds and not self._troubles[each]]

    async def _stopped(self, pid: int, kind: Trouble) -> None:
        """Stops a process for seconds, as a machine does that has no memory left."""
        self._troubles[kind] += 1
        os.kill(pid, signal.SIGSTOP)
        await asyncio.sleep(self._random.uniform(1, 8))
        os.kill(pid, signal.SIGCONT)
        await asyncio.sleep(self._random.uniform(0, 2))

    async def _fallen(self, process: Process, within: float) -> bool:
        """Returns whether a process ended by itself, as a supervisor does that starts it again."""
        try:
            async with asyncio.timeout(within):
                code = await process.wait()
        except TimeoutError:
            return False
        if code != CANNOT_WORK_NOW:
            self._fell.append(code)
        await asyncio.sleep(_PAUSE_OF_SUPERVISOR)
        return True

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
            await asyncio.sleep(
                self._random.expovariate(1 / self._random.choice(MEAN_LIVES)) * self._long
            )
            if self._forecast.workers and (
                self._unseen(Trouble.DOORS_STOPPED) or self._random.random() < _STOPPED
            ):
                await self._stopped(self._steward.pid, Trouble.DOORS_STOPPED)
            trouble.cancel()
            await self._steward.kill()
            if self._filling is not None:
                await self._filling
        self._kills += 1

    async def _server_troubled(self) -> None:
        """Stops, kills or cuts off the server at random moments of a life."""
        while (server := self._server) is not None:
            soon = bool(self._unseen(*_OF_SERVER, Trouble.FULL))
            await asyncio.sleep(self._random.expovariate(_SOON if soon else 1) * self._long)
            # What has begun is ended, so that a later life finds a server.
            kind = self._next_trouble()
            if kind is Trouble.FULL:
                self._filling = asyncio.create_task(self._filled(server), name="full disk")
                await asyncio.shield(self._filling)
            else:
                await asyncio.shield(asyncio.ensure_future(self._away(server, kind)))

    def _next_trouble(self) -> Trouble:
        """Returns what happens to the server next: first what has not come yet."""
        kinds = (Trouble.CUT, *_OF_SERVER)
        if unseen := self._unseen(*_OF_SERVER, Trouble.FULL):
            return self._random.choice(unseen)
        if self._forecast.full and self._random.random() < _FULL:
            return Trouble.FULL
        return self._random.choice(kinds)

    async def _away(self, server: OwnServer, kind: Trouble) -> None:
        async with self._at_server:
            self._troubles[kind] += 1
            if kind is Trouble.CUT:
                await asyncio.to_thread(server.cut)
                return
            await server.stop(_SIGNALS[kind])
            await asyncio.sleep(self._random.uniform(0, 3))
            await server.start()

    async def _filled(self, server: OwnServer) -> None:
        """Fills the server's disk for seconds; a server that ended for it is started again."""
        async with self._at_server:
            self._troubles[Trouble.FULL] += 1
            with server.full():
                await asyncio.sleep(self._random.uniform(0.5, 4))
            if not server.runs:
                await server.stop()
                await server.start()

    async def _talk(self, person: Any) -> None:
        try:
            while not self._over and self._has_more_to_ask(person):
                for number in [self._say(person, wish) for wish in self._wishes_at_once()]:
                    if self._wishes[number] is not Wish.ASK:
                        await self._decide(person, number)
                    if not await self._answered(person, number):
                        return
        finally:
            self._talking -= 1

    def _has_more_to_ask(self, person: Any) -> bool:
        wanted = self._forecast.turns
        return not wanted or len(self._asked[person.id]) < wanted

    async def _until(self, condition: Callable[[], T | None]) -> T:
        """Waits for something on a person's screen; AssertionError when it does not come."""
        if len(self._people) <= _FEW:
            return await self._steward.until(condition, self._patience)
        until = asyncio.get_running_loop().time() + self._patience
        while not (value := condition()):
            assert asyncio.get_running_loop().time() < until, "it never came true"
            await asyncio.sleep(len(self._people) / _LOOKS_A_SECOND)
        return value

    async def _answered(self, person: Any, number: int) -> bool:
        """Waits for the answer, or for the word that there will be none; False without either."""
        try:
            await self._until(lambda: self._ended(person, number))
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
            while (card := await self._until(found)) is not True:
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
        tally = Tally(
            len(self._wishes),
            self._kills,
            self._troubles,
            self._unseen(*Trouble),
            silent=self._silent,
        )
        tally.fell = self._fell
        tally.holds = [h for h in self._steward.holds if not self._steward.excused(h)]
        for person in self._people:
            shown = numbers(self._texts(person))
            asked = self._asked[person.id]
            first = list(dict.fromkeys(shown))
            lost = [n for n in asked if n not in first]
            moved = [n for n, m in zip(first, sorted(first), strict=True) if n != m]
            doubled = [n for n, times in Counter(shown).items() if times > 1]
            tally.lost += lost
            tally.out_of_order += moved
            tally.doubled += doubled
            if lost or moved or doubled:
                tally.histories += self._history(person)
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

    def _history(self, person: Any) -> list[str]:
        screen = [f"screen {m.id} {m.text!r}" for m in self._steward.screen(person)]
        records, platform = self._steward.records, self._forecast.platform
        return [*screen, *records.history(platform, self._steward.account(person).split(":")[-1])]

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


async def storm(folder: Path, forecast: Forecast, server: OwnServer | None = None) -> Tally:
    """Runs a storm in this folder, on SQLite or on a server."""
    stalls = Stalls()
    with fork_server() as forks:
        async with _program(folder, forecast.platform, forks.launch) as steward:
            steward.excused = stalls.excuse
            if server is not None:
                steward.records = ServerRecords(server.url)
                steward.settings |= {"STEWARD_DATABASE_URL": server.url}
            try:
                return await Storm(steward, forecast, server).rage()
            finally:
                await steward.abandon()
                stalls.stop()


def main(arguments: Sequence[str]) -> int:
    seconds, seed, words = float(arguments[0]), int(arguments[1]), arguments[2:]
    crowd = next((word.split("x") for word in words if _CROWD.fullmatch(word)), ("12", "0"))
    forecast = Forecast(
        seconds=seconds,
        seed=seed,
        chats=int(crowd[0]),
        turns=int(crowd[1]),
        platform="discord" if "discord" in words else "telegram",
        workers=3 if "workers" in words else 0,
        full="full" in words,
    )
    wanted = own_server(room=ROOM * forecast.full) if "postgres" in words else nullcontext()
    begun = time.monotonic()
    with tempfile.TemporaryDirectory() as folder, wanted as server:
        tally = asyncio.run(storm(Path(folder), forecast, server))
    took = time.monotonic() - begun
    database = "sqlite" if server is None else "postgres"
    where = f"{forecast.platform}, {database}, {took:.0f} s"
    seen = {name: value for name, value in vars(tally).items() if name != "histories"}
    sys.stdout.write(f"{where}: {tally}\n{seen}\n")
    sys.stdout.writelines(f"{line}\n" for line in tally.histories)
    return 1 if faults(tally) else 0


def faults(tally: Tally) -> list[object]:
    """Returns what a storm must not leave behind."""
    return [
        *tally.never,
        *tally.lost,
        *tally.ran_twice,
        *tally.ran_though_denied,
        *tally.out_of_order,
        *tally.doubled,
        *tally.dead_cards,
        *tally.growing,
        *tally.untidy,
        *tally.fell,
        *tally.holds,
    ]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
