"""A stage with two channels and a terminal, where the same people have an account each."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

from bot.adapters.terminal.update import NAME as TERMINAL
from bot.adapters.terminal.update import address_in, folder_of, read_update
from bot.bootstrap.parts import lanes
from bot.domain.change import Change, LinkAccount
from bot.domain.consent.own_search import OwnSearch
from bot.domain.money.provider import ANTHROPIC
from bot.domain.talk.chat import Chat
from bot.domain.talk.errors import NobodyThere
from bot.domain.talk.limits import Limits
from bot.domain.talk.message import Address, Inbound, InboundMessage, Piece, Press, Quote
from bot.domain.talk.person import Person, Sender
from bot.domain.talk.session import PAGE
from bot.flow.application import Application
from bot.flow.arrivals.intake import Intake
from bot.flow.world import StorePorts, World
from bot.ports.bell import NoBell
from bot.ports.channel import NEW_DRAFT, DraftPlace, Links
from bot.ports.tool import Folder, Tool
from tests.crossings.beside import Desk
from tests.crossings.paged import Page
from tests.crossings.talked import Talked
from tests.fakes.channel import FakeChannel, Shown
from tests.fakes.skills import FakeSkills
from tests.scenarios.dying import DyingJournal
from tests.scenarios.stage import ANN, HOME, Stage

OTHER = "other"
PROJECT = Path("/projects/tea")
IN_PROJECT, AT_DOOR = address_in(PROJECT), address_in(None)


class Terminal(FakeChannel):
    """The terminals of a machine; while nobody looks, nothing is shown in any."""

    seated = True

    async def send(self, to: Address, piece: Piece, *, once: str = "") -> str:
        self._look()
        return await super().send(to, piece, once=once)

    async def edit(self, to: Address, message_id: str, piece: Piece | None) -> None:
        self._look()
        await super().edit(to, message_id, piece)

    async def draft(
        self, to: Address, text: str, links: Links = (), place: DraftPlace = NEW_DRAFT
    ) -> str | None:
        return await super().draft(to, text, links, place) if self.seated else None

    def parse(self, body: str) -> Inbound:
        """Reads what was typed beside a chat of the platform, too, which the program has marked."""
        return read_update(body) if body.startswith("{") else super().parse(body)

    def _look(self) -> None:
        if not self.seated:
            raise NobodyThere("nobody looks")


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
        self.other = FakeChannel(name=OTHER, instant=False)
        self.terminal = Terminal(name=TERMINAL)
        self.away = ""
        """The channel that this start does not serve, if there is one."""
        self.second: Second | None = None
        self.beside: Application | None = None
        """Another process on the same store, which takes every second update."""
        self._beside: asyncio.Task[None] | None = None
        self.page = Page(HOME, ANN)
        """The page, which shows the owner's private chat, too."""
        self.desk: Desk | None = None
        """The terminal that shows the owner's private chat, if there is one."""
        self.searches: Mapping[str, OwnSearch] = {}
        """The searches of providers, by their names."""
        self._updates, self._turns = count(1), count()
        super().__init__(model, tools, Limits(), skills=skills)
        # As on the platforms: a growing answer costs calls, and in groups a message.
        self.channel = FakeChannel(instant=False)

    def _world(self) -> World:
        world = super()._world()
        served = {**world.channels, OTHER: self.other, TERMINAL: self.terminal, PAGE: self.page}
        served.pop(self.away, None)
        store: Any = self.store
        owned = getattr(store, "owned_chats", None)
        return replace(
            world,
            workspaces=_folder,
            channels=served,
            files=dict.fromkeys(served, self.files),
            groups=dict.fromkeys(served, self.groups),
            lanes=partial(lanes, 64, self.clock, owned, getattr(store, "bell", NoBell())),
            models={**world.models, ANTHROPIC: self.model},
            searches=self.searches,
            page="https://steward.example",
        )

    def _ports(self, journal: DyingJournal) -> StorePorts:
        store: Any = self.store
        peers = getattr(store, "peers", None)
        ports = super()._ports(journal)
        return ports if peers is None else replace(ports, peers=peers)

    async def crash(self) -> None:
        """Ends this life and begins another; the terminal beside comes back by itself."""
        if self.desk is not None:
            await self.desk.close()
        await super().crash()
        await self.open_desk()

    async def close(self) -> None:
        if self.desk is not None:
            await self.desk.close()
        await super().close()

    async def open_desk(self) -> None:
        """Opens the terminal beside, unless its person has left or its chat is not served now."""
        if self.desk is not None and not self.desk.left and self.desk.at.channel != self.away:
            store: Any = self.store
            await self.desk.open(self.application, store)

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
        await self.open_desk()

    @property
    def _intake(self) -> Intake:
        """Returns the intake that the next update comes to."""
        turns = next(self._turns) % 2
        beside = self.beside if turns and self.beside is not None else self.application
        return beside.parts.intake

    @property
    def screens(self) -> Sequence[Shown]:
        """Returns the messages on all screens, each channel's oldest first."""
        channels = (self.channel, self.other, self.terminal, self.page)
        return [shown for channel in channels for shown in channel.screen.values()]

    def at(self, address: Address) -> FakeChannel | Page:
        others = {OTHER: self.other, TERMINAL: self.terminal, PAGE: self.page}
        return others.get(address.channel, self.channel)

    async def link(self, sender: Sender, *channels: str) -> None:
        """Gives a person the same account on other channels."""
        person = await self.store.people.by_sender(sender)
        assert person is not None
        accounts = [LinkAccount(f"{name}:{sender.user_id}", person.id) for name in channels]
        await self.store.journal.commit(Change(tuple(accounts)))

    async def come_back(self, at: Address, *, wake: bool = True) -> None:
        """Opens the terminal again."""
        self.terminal.seated = True
        chat = await self.store.chats.at(at, private=True)
        if wake:
            self.application.parts.way_out.delivery.wake(chat.id)

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
        assert isinstance(channel, FakeChannel)
        await self._intake.accept(channel.name, (channel.update(message),))
        return id

    async def written_at_home(
        self,
        words: str,
        by: Sender,
        at: Address,
        *,
        reply_to: Shown | None = None,
        edited: bool = False,
        message_id: str = "",
        **_none: Any,
    ) -> str:
        """Hands in what somebody writes in their own chat of the page; returns its number."""
        form = self.page.form(by, at, self.clock.now())
        cited = "" if reply_to is None else reply_to.text
        card = "" if reply_to is None else reply_to.id
        edits = message_id if edited else ""
        update = form.message(words, reply_to=card, cited=cited, edits=edits)
        await self._intake.accept(PAGE, (update,))
        return message_id or update.key

    async def typed(self, words: str) -> None:
        """Hands in what the owner types in the terminal beside their private chat."""
        assert self.desk is not None
        update = self.desk.message(words, self.clock.now())
        await self._intake.accept(TERMINAL, (update,))

    async def written(self, words: str) -> None:
        """Hands in what the owner writes on the page, in their private chat."""
        await self._intake.accept(PAGE, (self.page.message(words, self.clock.now()),))

    async def written_as_guest(self, words: str, by: Sender, at: Address, message: str) -> None:
        """Hands in words that answer a card in any chat, past what the page refuses."""
        form = self.page.form(by, at, self.clock.now())
        update = form.message(words, reply_to=message, as_guest=True)
        await self._intake.accept(PAGE, (update,))

    async def pressed_on_page(self, data: str, by: Sender, at: Address, message: str) -> None:
        """Hands in a press on somebody's page, and waits until it is answered."""
        told = len(self.page.acknowledged)
        update = self.page.form(by, at, self.clock.now()).press(data, message)
        await self._intake.accept(PAGE, (update,))
        await self.until(lambda: len(self.page.acknowledged) > told)

    async def pressed(
        self, data: str, sender: Sender, message: str, at: Address, *, desk: bool = False
    ) -> None:
        """Hands a press in, and waits until it is answered; at the `desk` it is the owner's."""
        channel = self.terminal if desk else self.at(at)
        assert isinstance(channel, FakeChannel)
        told = len(channel.acknowledged)
        by = replace(sender, channel=at.channel)
        press = Press(at, by, data, f"h{next(self._updates)}", message)
        update = channel.update(press)
        if desk and self.desk is not None:
            update = self.desk.press(data, self.clock.now(), message)
        await self._intake.accept(channel.name, (update,))
        # Nobody answers on a channel that is not served.
        await self.until(lambda: self.away == channel.name or len(channel.acknowledged) > told)


async def _folder(chat: Chat, person: int | Person) -> Folder:
    """Returns the folder of a project for the chat of a terminal in it."""
    project = folder_of(chat.address) if chat.address.channel == TERMINAL else None
    return Folder(Path("/nowhere"), own=True) if project is None else Folder(project, project=True)
