"""A terminal channel on paper: what it prints, and a person at its prompt."""

import json
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from typing import Any, TypeAlias

from bot.adapters.terminal.channel import TerminalChannel
from bot.adapters.terminal.dialogue import Dialogue
from bot.adapters.terminal.fragments import Fragments, plain
from bot.adapters.terminal.late_renderer import LateRenderer
from bot.adapters.terminal.layout import Layout
from bot.adapters.terminal.look import Look
from bot.adapters.terminal.screen import Screen
from bot.adapters.terminal.update import ADDRESS, Writer
from bot.domain.talk.errors import StoreError
from bot.domain.talk.message import (
    Block,
    Button,
    CodeBlock,
    Markdown,
    Outbound,
    OutboundKind,
    Piece,
    Plain,
    RawUpdate,
)
from tests.fakes.clock import FakeClock

AT = datetime(2026, 11, 2, 12, 0, tzinfo=UTC)

BUTTONS = ((Button("✅ Approve", "c:t:y"), Button("❌ Deny", "c:t:n")),)

Step: TypeAlias = str | BaseException | Callable[[], Awaitable[object]]
"""What happens at the prompt: a line, a way to leave, or something the bot does meanwhile."""


class Paper:
    """A console that keeps what was printed, and whom to play when a line is read."""

    def __init__(self, *script: Step) -> None:
        self.printed = ""
        self.fragments: Fragments = []
        self.look = Look(columns=60, dumb=True)
        self.script = list(script)

    async def show(self, fragments: Fragments) -> None:
        self.printed += plain(fragments)
        self.fragments += fragments

    def refresh(self) -> None:
        pass

    async def read(self, live: Callable[[], Fragments], begun: Callable[[], None]) -> str:
        while callable(step := self.script.pop(0)):
            await step()
        if isinstance(step, BaseException):
            raise step
        begun()
        return step


class Desk:
    """A channel on paper."""

    def __init__(self) -> None:
        self.paper = Paper()
        self.screen = Screen(self.paper, Layout(LateRenderer()))
        self.channel = TerminalChannel(self.screen)
        self.accepted: list[RawUpdate] = []
        self.faults: list[StoreError] = []

    async def send(self, kind: OutboundKind, *blocks: Block, **more: Any) -> str:
        return await self.channel.send(ADDRESS, self.piece(kind, *blocks, **more))

    async def edit(
        self,
        message_id: str,
        kind: OutboundKind,
        *blocks: Block,
        **more: Any,
    ) -> None:
        await self.channel.edit(ADDRESS, message_id, self.piece(kind, *blocks, **more))

    def piece(self, kind: OutboundKind, *blocks: Block, **more: Any) -> Piece:
        """A piece as it is after it was stored."""
        (piece,) = self.channel.split(Outbound(kind, blocks, **more))
        return Piece(json.loads(json.dumps(dict(piece.body))))

    @property
    def live(self) -> str:
        """What stands between the printed lines and the prompt."""
        return plain(self.screen.live()).strip("\n")

    async def draft(self, text: str) -> None:
        await self.channel.draft(ADDRESS, text)

    async def answer(self, text: str) -> None:
        await self.send(OutboundKind.ANSWER, Markdown(text))

    async def reply(self) -> None:
        await self.answer("Hello")

    async def card(self, title: str = "Run a command?") -> str:
        blocks = (Plain(title), CodeBlock("$ pytest -q"))
        return await self.send(OutboundKind.CARD, *blocks, buttons=BUTTONS)

    async def hold(self, *script: Step) -> list[object]:
        """Plays a person at the prompt; returns what was accepted, as the flow reads it."""
        self.paper.script = list(script)
        writer = Writer("alice", "Alice")
        await Dialogue(self.paper, self.screen, writer, FakeClock(AT)).hold(self.accept)
        assert not self.paper.script
        return [self.channel.parse(update.body) for update in self.accepted]

    async def accept(self, updates: object) -> None:
        assert isinstance(updates, tuple)
        if self.faults:
            raise self.faults.pop(0)
        self.accepted.extend(updates)
