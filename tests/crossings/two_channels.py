"""A stage with two channels, on which the same people have an account each."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import count
from typing import Any

from bot.bootstrap.parts import lanes
from bot.domain.change import Change, LinkAccount
from bot.domain.talk.limits import Limits
from bot.domain.talk.message import Address, InboundMessage, Press, Quote
from bot.domain.talk.person import Sender
from bot.flow.application import Application
from bot.flow.arrivals.intake import Intake
from bot.flow.world import StorePorts, World
from bot.ports.tool import Tool
from tests.crossings.talked import Talked
from tests.fakes.channel import FakeChannel, Shown
from tests.fakes.skills import FakeSkills
from tests.scenarios.dying import DyingJournal
from tests.scenarios.stage import Stage

OTHER = "other"


@dataclass(frozen=True, slots=True)
class Second:
    """What another process on the same database needs."""

    store: Any
    """The store that it opened."""
    leave: Callable[[], Awaitable[object]]
    """Closes the store of the first process, as its death does."""


class TwoChannels(Stage):
    """The flow over two channels; whoever speaks is told by the channel of the place."""

    def __init__(self, model: Talked, tools: Sequence[Tool], skills: FakeSkills) -> None:
        self.other = FakeChannel(name=OTHER)
        self.away = ""
        """The channel that this start does not serve, if there is one."""
        self.second: Second | None = None
        self.beside: Application | None = None
        """Another process on the same store, which takes every second update."""
        self._beside: asyncio.Task[None] | None = None
        self._updates, self._turns = count(1), count()
        super().__init__(model, tools, Limits(), skills=skills)

    def _world(self) -> World:
        world = super()._world()
        served = {**world.channels, OTHER: self.other}
        served.pop(self.away, None)
        store: Any = self.store
        owned = getattr(store, "owned_chats", None)
        return replace(
            world,
            channels=served,
            files=dict.fromkeys(served, self.files),
            groups=dict.fromkeys(served, self.groups),
            lanes=partial(lanes, 64, self.clock, owned),
        )

    def _ports(self, journal: DyingJournal) -> StorePorts:
        store: Any = self.store
        peers = getattr(store, "peers", None)
        ports = super()._ports(journal)
        return ports if peers is None else replace(ports, peers=peers)

    async def begin_beside(self) -> None:
        """Starts the second process."""
        assert self.second is not None
        first, self.store = self.store, self.second.store
        self.beside = self.composed()
        self.store = first
        self._beside = asyncio.create_task(self.beside.run(), name="beside")

    async def hand_over(self) -> None:
        """The first process dies, and nobody starts it again."""
        assert self.second is not None
        assert self.beside is not None
        await self.close()
        await self.second.leave()
        self.application, self.store, self._task = self.beside, self.second.store, self._beside
        self.beside = None

    @property
    def _intake(self) -> Intake:
        """Returns the intake that the next update comes to."""
        turns = next(self._turns) % 2
        beside = self.beside if turns and self.beside is not None else self.application
        return beside.parts.intake

    @property
    def screens(self) -> Sequence[Shown]:
        """Returns the messages on both screens, each channel's oldest first."""
        return [*self.channel.screen.values(), *self.other.screen.values()]

    def at(self, address: Address) -> FakeChannel:
        return self.other if address.channel == OTHER else self.channel

    async def link(self, sender: Sender) -> None:
        """Gives a person the same account on the other channel."""
        person = await self.store.people.by_sender(sender)
        assert person is not None
        account = LinkAccount(f"{OTHER}:{sender.user_id}", person.id)
        await self.store.journal.commit(Change((account,)))

    async def told(
        self, at: Address, sender: Sender, words: str, *, reply_to: Shown | None, **fields: Any
    ) -> str:
        """Hands a message in as an update of the channel of its place; returns its number."""
        id = str(fields.pop("message_id", "") or f"m{next(self._updates)}")
        private = not at.chat.startswith("-")
        quote = None
        if reply_to is not None:
            quote = Quote(reply_to.text, "Steward", own=True, message_id=reply_to.id)
        message = InboundMessage(
            at,
            replace(sender, channel=at.channel),
            id,
            words,
            self.clock.now(),
            quote=quote,
            private=private,
            addressed=True,
            title="" if private else "Team",
            **fields,
        )
        channel = self.at(at)
        await self._intake.accept(channel.name, (channel.update(message),))
        return id

    async def pressed(self, data: str, sender: Sender, message: str, at: Address) -> None:
        """Hands a press in, and waits until it is answered."""
        channel = self.at(at)
        told = len(channel.acknowledged)
        by = replace(sender, channel=at.channel)
        press = Press(at, by, data, f"h{next(self._updates)}", message)
        await self._intake.accept(channel.name, (channel.update(press),))
        await self.until(lambda: len(channel.acknowledged) > told)
