"""The page in a browser: it shows the owner's private chat, and chats of its own."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from itertools import count

from bot.adapters.web.channel import PageChannel
from bot.adapters.web.hub import Hub
from bot.adapters.web.update import Writing
from bot.domain.talk.message import Address, Outbound, Piece, Press, RawUpdate
from bot.domain.talk.person import Sender
from tests.fakes.channel import FakeChannel, Shown

_WIDE = FakeChannel(limit=1 << 20)
ECHO = "💻 You wrote on the page: "
"""Begins the message that shows on the platform what was written on the page."""


class Page(PageChannel):
    """The pages of all sessions; `screen` holds what stands in the chats of the page itself.

    Of other chats they show the rows, so nothing of them is sent.
    """

    def __init__(self, at: Address, owner: Sender) -> None:
        super().__init__(Hub())
        self.at = at
        self._owner = owner
        self.written: list[str] = []
        """The words that were written here."""
        self.acknowledged: list[tuple[Press, str]] = []
        self.screen: dict[str, Shown] = {}
        self._forms = count(1)

    def split(self, content: Outbound, shown: Sequence[Piece] = ()) -> Sequence[Piece]:
        pieces = _WIDE.split(content)
        return [Piece({**one.body, "kind": content.kind.value}) for one in pieces]

    async def send(self, to: Address, piece: Piece, *, once: str = "") -> str:
        id = await super().send(to, piece, once=once)
        self.screen[id] = Shown(id, to, piece)
        return id

    async def edit(self, to: Address, message_id: str, piece: Piece | None) -> None:
        await super().edit(to, message_id, piece)
        known = self.screen.get(message_id)
        if piece is None:
            self.screen.pop(message_id, None)
        else:
            edits = 0 if known is None else known.edits + 1
            self.screen[message_id] = Shown(message_id, to, piece, edits)

    def message(self, words: str, at: datetime) -> RawUpdate:
        """Returns the update of a form that sends words."""
        self.written.append(words)
        return self.form(self._owner, self.at, at).message(words)

    def form(self, by: Sender, chat: Address, at: datetime) -> Writing:
        """Returns a form that somebody who signed in sends about a chat."""
        once = f"form-{next(self._forms)}"
        return Writing(f"web:{by.user_id}", by.name, chat, "session", once, at)

    async def acknowledge(
        self, press: Press, text: str, *, refused: bool = False, alone: bool = False
    ) -> None:
        await super().acknowledge(press, text, refused=refused, alone=alone)
        self.acknowledged.append((press, text))

    def faults(self, platform: FakeChannel) -> Iterator[str]:
        """Yields a sentence for what was written here and does not stand once on the platform."""
        stands = [one.text for one in platform.screen.values() if one.address == self.at]
        echoes = [text.removeprefix(ECHO) for text in stands if text.startswith(ECHO)]
        for words in {*self.written, *echoes}:
            times, wanted = echoes.count(words), self.written.count(words)
            if times != wanted:
                yield f"what was written on the page, “{words}”, stands {times} times there"
