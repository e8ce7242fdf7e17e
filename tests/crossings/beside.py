"""A terminal that shows the owner's private chat beside the service, as a visitor of the door."""

import asyncio
import getpass
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from typing import Any, cast

from bot.adapters.sql.store import Store
from bot.adapters.terminal.channel import content_of
from bot.adapters.terminal.update import Writer, shared
from bot.bootstrap.chat_view import ChatView
from bot.bootstrap.opening import Running
from bot.domain.talk.message import Address, Button, Piece, RawUpdate
from bot.flow.application import Application
from bot.flow.world import at_once
from tests.fakes.channel import FakeChannel

ECHO = "💻 You wrote in the terminal: "
"""Begins the message that shows on the platform what was typed in the terminal."""
_HEARD = "in:"
"""Begins the id of what a person wrote on the platform."""


@dataclass(frozen=True, slots=True)
class Line:
    """A message as it stands in the terminal."""

    text: str
    buttons: Sequence[Button]


_NOTHING = Line("", ())


class Desk:
    """A visitor that shows each version of a message once, and keeps what it has seen."""

    def __init__(self, at: Address) -> None:
        self.at = at
        self.screen: dict[str, Line] = {}
        self.ever: list[str] = []
        """Each text that was shown here."""
        self.typed: list[str] = []
        """The lines that were written here."""
        self.before: frozenset[str] = frozenset()
        """The messages of the platform that stood there before this visit."""
        self.marks: object = None
        self.left = False
        """True while its person is away; after a restart of the program it comes back by itself."""
        self._writer = Writer(getpass.getuser(), "Ann", at.chat)
        self._following: asyncio.Task[None] | None = None

    async def open(self, application: Application, store: Store) -> None:
        """Comes in, with the marks of the visit if it has begun."""
        running = Running(application, store, "fake/fake", at_once)
        view = await ChatView.of(running, self.at)
        self.marks = await view.begin(self.marks)
        cards = await application.parts.command_table.cards_on_screen.shown_in(self.at)
        # A visitor is all that a view needs of a visit.
        following = view.follow(cast(Any, self), cards)
        self._following = asyncio.create_task(following, name="desk")

    @property
    def is_open(self) -> bool:
        return self._following is not None

    async def close(self) -> None:
        """Goes away; what comes meanwhile is shown when it comes back."""
        if self._following is not None:
            self._following.cancel()
            with suppress(asyncio.CancelledError):
                await self._following
            self._following = None

    async def mirror(self, message_id: str, version: int, piece: Piece, *, old: bool) -> None:
        """Takes a message as it stands on the platform."""
        if old and message_id not in self.screen:
            return
        content = content_of(piece)
        text = "\n".join(str(part.body["text"]) for part in FakeChannel().split(content))
        buttons = [button for row in content.buttons for button in row]
        self.screen[message_id] = Line(text, buttons)
        self.ever.append(text)

    def message(self, words: str, at: datetime) -> RawUpdate:
        """Returns the update of a line that is typed here."""
        self.typed.append(words)
        return shared(self._writer.message(words, at), self.at, "Ann")

    def press(self, data: str, at: datetime, message_id: str) -> RawUpdate:
        return shared(self._writer.press(data, at, message_id), self.at, "Ann")

    @property
    def told(self) -> dict[str, Line]:
        """Returns what Steward said; what the person wrote on the platform is left out."""
        return {id: line for id, line in self.screen.items() if not id.startswith(_HEARD)}

    @property
    def heard(self) -> Sequence[str]:
        """Returns what the person wrote on the platform."""
        return [line.text for id, line in self.screen.items() if id.startswith(_HEARD)]

    def faults(self, platform: FakeChannel) -> list[str]:
        """Returns a sentence for each message that only one side shows, or shows otherwise."""
        stands = {one.id: one.text for one in platform.screen.values() if one.address == self.at}
        echoes = [text.removeprefix(ECHO) for text in stands.values() if text.startswith(ECHO)]
        counted = ((words, echoes.count(words)) for words in {*self.typed, *echoes})
        found = [
            f"what was typed, “{words}”, stands {times} times on the platform"
            for words, times in counted
            if times != self.typed.count(words)
        ]
        for id, text in stands.items():
            here = self.told.get(id, _NOTHING).text
            if not text.startswith(ECHO) and id not in self.before and here != text:
                found.append(f"the terminal does not show “{text}”")
        return found
