"""A storm at one boundary: a message is sent, and the process dies before it has recorded that.

`python -m tests.e2e.storm_of_sends telegram|discord KILLS SEED [SECONDS] [harsh]` runs one by hand.
The process that is killed is the delivery alone, with the real channel and the real store; people
write meanwhile. In a harsh one every fifth message of people is never stored, and more messages are
owed than one life can send, so that they wait through many deaths.
"""

import asyncio
import math
import multiprocessing
import random
import sys
import tempfile
from collections import Counter
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any, Protocol

from bot.adapters.sql.store import Store, open_store
from bot.adapters.system_clock import SystemClock
from bot.domain.change import Change, InboundState, MarkInbound, Show
from bot.domain.talk.message import (
    Address,
    Button,
    FileRef,
    Markdown,
    Outbound,
    OutboundKind,
    Plain,
    RawUpdate,
)
from tests.e2e import delivering_program
from tests.standins.bot_api import BotApi
from tests.standins.discord import Discord, Fault
from tests.standins.gate import Gate
from tests.standins.serving import serving

CHATS = 12
_LOOK_EVERY = 0.01
_SENDS = ("sendMessage", "sendDocument")
_PATIENCE = 120.0
_LOOKS = 10_000


class Platform(Protocol):
    """A platform on which people write, and on which the next sending can be held."""

    name: str

    def addresses(self) -> Sequence[Address]: ...

    def say(self, chat: Address) -> str:
        """Have the person of a chat write something; returns its id."""
        ...

    def hold(self, *, after_work: bool) -> Callable[[], None]:
        """Hold each next sending; returns what ends that."""
        ...

    def sent(self) -> int: ...

    def forget(self) -> None:
        """Let so much time pass that names of messages are forgotten."""
        ...

    def texts(self, chat: Address) -> list[str]: ...


class OnTelegram:
    name = "telegram"

    def __init__(self, server: BotApi) -> None:
        self._server = server
        self._people = {str(p.id): p for p in (server.person() for _ in range(CHATS))}
        for person in self._people.values():
            server.private_chat(person)

    def addresses(self) -> Sequence[Address]:
        return [Address(self.name, number) for number in self._people]

    def say(self, chat: Address) -> str:
        return str(self._server.say(self._people[chat.chat], "Hello").id)

    def hold(self, *, after_work: bool) -> Callable[[], None]:
        gates = [self._server.hold(method, after_work=after_work) for method in _SENDS]
        return lambda: _release(self._server.faults, gates)

    def sent(self) -> int:
        return len(self._server.calls_of(*_SENDS))

    def forget(self) -> None:
        """Telegram has no names to forget."""

    def texts(self, chat: Address) -> list[str]:
        return [one.text for one in self._server.screen(int(chat.chat)).from_bot]


def _release(faults: Any, gates: Sequence[Gate]) -> None:
    for gate in gates:
        gate.release()
    for method in _SENDS:
        while faults.take(method) is not None:
            pass


class OnDiscord:
    name = "discord"

    def __init__(self, server: Discord) -> None:
        self._server = server
        numbers = range(700_000_000_000_000_001, 700_000_000_000_000_001 + CHATS)
        self._people = {str(n): server.person(n, f"P{n % 100}") for n in numbers}

    def addresses(self) -> Sequence[Address]:
        return [Address(self.name, number) for number in self._people]

    def say(self, chat: Address) -> str:
        return str(self._server.say(self._people[chat.chat], "Hello").id)

    def hold(self, *, after_work: bool) -> Callable[[], None]:
        fault = Fault("POST", r"/messages$", "held", gate=Gate(after_work))
        self._server.faults.order(fault)

        def end() -> None:
            fault.times = 0
            fault.gate.release()

        return end

    def sent(self) -> int:
        posts = (one for one in self._server.calls if one.method == "POST")
        return sum(one.path.endswith("/messages") for one in posts)

    def forget(self) -> None:
        self._server.forget_names()

    def texts(self, chat: Address) -> list[str]:
        return [one.text for one in self._server.screen(self._people[chat.chat])]


@dataclass
class Count:
    """What a storm has left behind; every list has to be empty."""

    kills: int = 0
    messages: int = 0
    cut: int = 0
    """Messages that stood on the screen, unrecorded, when the process died."""
    lost: list[str] = field(default_factory=list[str])
    doubled: list[str] = field(default_factory=list[str])

    def __str__(self) -> str:
        return (
            f"{self.messages} messages, {self.kills} kills, which met {self.cut} messages between "
            f"their sending and their record: {len(self.lost)} lost, {len(self.doubled)} doubled"
        )


class Storm:
    def __init__(
        self,
        store: Store,
        platform: Platform,
        start: Callable[[], BaseProcess],
        seed: int,
        *,
        harsh: bool = False,
    ) -> None:
        self._harsh = harsh
        self._store = store
        self._platform = platform
        self._start = start
        self._random = random.Random(seed)
        self._expected: dict[Address, list[str]] = {}
        self._count = Count()
        self._unheard: list[tuple[Address, str]] = []

    async def rage(self, kills: int, seconds: float) -> Count:
        """Lets the storm blow for so many lives, or until so much time is over, and counts."""
        until = asyncio.get_running_loop().time() + seconds
        for address in self._platform.addresses():
            self._expected[address] = []
            await self._heard(address)
        while self._count.kills < kills and asyncio.get_running_loop().time() < until:
            await self._live()
        process = self._start()
        try:
            until = asyncio.get_running_loop().time() + _PATIENCE
            while await self._store.outbox.chats_owed():
                assert asyncio.get_running_loop().time() < until, "not all was delivered"
                await asyncio.sleep(_LOOK_EVERY)
        finally:
            await _killed(process)
        return self._counted()

    async def _live(self) -> None:
        """One life of the delivery, which ends at a send."""
        how = self._random.choices(("answer held", "send held", "any moment"), (6, 1, 3))[0]
        before = self._platform.sent()
        let_go = None
        if how != "any moment":
            let_go = self._platform.hold(after_work=how == "answer held")
        process = self._start()
        while self._unheard:
            late = self._unheard.pop()
            if not self._harsh:
                await self._store_heard(*late)
        for _ in range(self._random.randint(1, 5 if self._harsh else 3)):
            await self._owe()
        for _ in range(_LOOKS):
            if self._platform.sent() > before:
                break
            await asyncio.sleep(0.001)
        await asyncio.sleep(self._random.choice((0.0, 0.001, 0.01, 0.1, 0.3)))
        await _killed(process)
        if let_go is not None:
            let_go()
        self._count.kills += 1
        self._count.cut += await self._unrecorded()
        for address in self._random.sample(list(self._expected), self._random.randint(0, 4)):
            await self._heard(address)
        if self._random.random() < 0.3:
            self._platform.forget()

    async def _owe(self) -> None:
        address = self._random.choice(list(self._expected))
        await self._heard(address)
        chat = await self._store.chats.at(address, private=True)
        self._count.messages += 1
        number = f"Message {self._count.messages}."
        buttons = ((Button("Yes", f"y:{self._count.messages}"),),)
        contents = (
            Outbound(OutboundKind.ANSWER, (Markdown(f"**{number}** It is said."),)),
            Outbound(OutboundKind.CARD, (Plain(number),), buttons),
            Outbound(OutboundKind.NOTICE, (), files=(FileRef("", "a.md", number, text="x"),)),
        )
        content = self._random.choices(contents, (6, 3, 1))[0]
        self._expected[address].append(number)
        show = Show(f"storm:{self._count.messages}", chat.id, content)
        await self._store.journal.commit(Change((show,)))

    async def _heard(self, address: Address) -> None:
        """Has a person write; what is not stored at once is stored when the next life begins."""
        message_id = self._platform.say(address)
        if self._random.random() < 0.2:
            self._unheard.append((address, message_id))
            return
        await self._store_heard(address, message_id)

    async def _store_heard(self, address: Address, message_id: str) -> None:
        key = f"{address.key}:{message_id}"
        inbox = self._store.inbox
        await inbox.accept(address.channel, [RawUpdate(key, "{}")], SystemClock().now())
        row = next(one for one in await inbox.unrouted(1_000) if one.key == key)
        chat = await self._store.chats.at(address, private=True)
        mark = MarkInbound(
            row.id, InboundState.DONE, (InboundState.NEW,), chat=chat.id, message_id=message_id
        )
        await self._store.journal.commit(Change((mark,)))

    async def _unrecorded(self) -> int:
        shown = {text for one in self._expected for text in self._shown(one)}
        found = 0
        for chat in await self._store.outbox.chats_owed():
            last = 0
            while rows := await self._store.outbox.owed(chat, last):
                found += sum(f"Message {row.key.partition(':')[2]}." in shown for row in rows)
                last = rows[-1].id
        return found

    def _shown(self, address: Address) -> list[str]:
        found = (text.replace("**", "") for text in self._platform.texts(address))
        return [text.partition(" It")[0].strip() for text in found]

    def _counted(self) -> Count:
        for address, expected in self._expected.items():
            shown = Counter(self._shown(address))
            self._count.lost += [one for one in expected if not shown[one]]
            self._count.doubled += [one for one in expected if shown[one] > 1]
        return self._count


async def _killed(process: BaseProcess) -> None:
    process.kill()
    await asyncio.to_thread(process.join)


@asynccontextmanager
async def _served(name: str) -> AsyncIterator[tuple[Platform, str]]:
    if name == "telegram":
        telegram = BotApi()
        async with serving(telegram.app) as url:
            yield OnTelegram(telegram), url
    else:
        discord = Discord()
        async with discord.serving() as url:
            yield OnDiscord(discord), url


async def storm(
    folder: Path,
    platform: str,
    kills: int,
    seed: int,
    seconds: float = math.inf,
    *,
    harsh: bool = False,
) -> Count:
    """Runs a storm in this folder."""
    database = f"sqlite:///{folder / 'storm.db'}"
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([delivering_program.__name__])
    async with _served(platform) as (served, url), open_store(database) as store:

        def start() -> BaseProcess:
            process = context.Process(
                target=delivering_program.deliver, args=(platform, url, database), daemon=True
            )
            process.start()
            return process

        return await Storm(store, served, start, seed, harsh=harsh).rage(kills, seconds)


def main(arguments: Sequence[str]) -> int:
    platform, kills, seed = arguments[0], int(arguments[1]), int(arguments[2])
    harsh = "harsh" in arguments
    seconds = [float(one) for one in arguments[3:] if one != "harsh"] or [math.inf]
    with tempfile.TemporaryDirectory() as folder:
        count = asyncio.run(storm(Path(folder), platform, kills, seed, seconds[0], harsh=harsh))
    sys.stdout.write(f"{platform}: {count}\n{count.lost[:20]} {count.doubled[:20]}\n")
    return 1 if count.lost or count.doubled else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
