"""Open pages of other processes, which show what grows here."""

import json
from collections.abc import Callable

from bot.domain.talk.message import Address
from bot.domain.text.tail import tail_of
from bot.flow.delivery.office import DeliveryOffice
from bot.ports.bell import MOST_ASKED
from bot.ports.channel import Overhear

MOST_BESIDE = 500
"""Bytes of all that stands beside the text of a draft."""

_LOOKED_SECONDS = 30.0
"""Seconds after a ring in which another process is known to have open pages."""


class PagesElsewhere:
    """Tells other processes what grows here, as long as people look at pages of theirs.

    The pages of this process are told by its own channels, or by `here` where another process
    delivers.
    """

    def __init__(self, office: DeliveryOffice, steady: Callable[[], float], here: Overhear) -> None:
        self._office = office
        self._steady = steady
        self._here = here
        self._looked: float | None = None

    def looked(self) -> None:
        """Notes that another process has open pages."""
        self._looked = self._steady()

    def show(self, to: Address, text: str) -> None:
        """Shows what grows in a chat; no words say that something does."""
        if self._office.heard_anyway(to.channel):
            return
        if self._office.leaves(to.channel):
            self._here(to, text)
        if self._looked is None or self._steady() - self._looked > _LOOKED_SECONDS:
            return
        grows = tail_of(text, MOST_ASKED - MOST_BESIDE, size_of)
        self._office.tell_pages(in_words({"to": told_of(to), "grows": grows}))


def told_of(to: Address) -> list[str | None]:
    return [to.channel, to.chat, to.thread]


def in_words(told: object) -> str:
    # A half of a character, which no database takes, is replaced.
    return json.dumps(told, ensure_ascii=False).encode(errors="replace").decode()


def size_of(told: object) -> int:
    return len(in_words(told).encode())
