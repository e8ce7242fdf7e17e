"""The page in a browser that shows the owner's private chat beside the platform."""

from collections.abc import Iterator
from datetime import datetime
from itertools import count

from bot.adapters.web.channel import PageChannel
from bot.adapters.web.hub import Hub
from bot.adapters.web.update import Writing
from bot.domain.talk.message import Address, Press, RawUpdate
from tests.fakes.channel import FakeChannel

ECHO = "💻 You wrote on the page: "
"""Begins the message that shows on the platform what was written on the page."""


class Page(PageChannel):
    """The page of one session; it shows the rows of the chat, so nothing of it is sent."""

    def __init__(self, at: Address) -> None:
        super().__init__(Hub())
        self.at = at
        self.written: list[str] = []
        """The words that were written here."""
        self.acknowledged: list[tuple[Press, str]] = []
        self._forms = count(1)

    def message(self, words: str, at: datetime) -> RawUpdate:
        """Returns the update of a form that sends words."""
        self.written.append(words)
        return self._form(at).message(words)

    def press(self, data: str, at: datetime, message_id: str) -> RawUpdate:
        return self._form(at).press(data, message_id)

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

    def _form(self, at: datetime) -> Writing:
        return Writing("web:1", "Ann", self.at, "session", f"form-{next(self._forms)}", at)
