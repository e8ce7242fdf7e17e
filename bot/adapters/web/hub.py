"""Tells open pages what passes by: growing answers, signs of life, private notices."""

from asyncio import Event
from collections import deque
from collections.abc import Generator
from contextlib import contextmanager
from time import monotonic

from bot.domain.talk.message import Address
from bot.domain.talk.session import PAGE

_MOST_NOTICES = 20


class Watch:
    """One open page that looks at a chat; `changed` is set whenever something is new for it."""

    def __init__(self, address: Address, chat: int, session: str) -> None:
        self.address = address
        self.chat = chat
        self.session = session
        self.changed = Event()
        self.stirred = True
        """True when there may be something new in the store."""
        self.erased = True
        """True when words may have been erased that its page shows."""
        self.draft = ""
        self.working = False
        self.notices: deque[str] = deque(maxlen=_MOST_NOTICES)
        self.ended = False


class Hub:
    """Tells the pages that look at a chat; nothing depends on it, so it may be lost."""

    def __init__(self) -> None:
        self._watches: dict[Address, set[Watch]] = {}
        self._drafts: dict[Address, str] = {}
        self._heard: dict[Address, float] = {}
        self.touched: set[Address] = set()
        """The chats in which something was shown since somebody looked."""

    @property
    def watches(self) -> list[Watch]:
        return [one for some in self._watches.values() for one in some]

    @contextmanager
    def watching(self, address: Address, chat: int, session: str) -> Generator[Watch]:
        """Yields a watch over a chat, which begins with the answer that grows there now."""
        watch = Watch(address, chat, session)
        watch.draft = self._drafts.get(address, "")
        watch.working = address in self._drafts
        self._watches.setdefault(address, set()).add(watch)
        try:
            yield watch
        finally:
            some = self._watches[address]
            some.discard(watch)
            if not some:
                del self._watches[address]
                if address.channel != PAGE:
                    self._drafts.pop(address, None)
                    self._heard.pop(address, None)

    def draft(self, address: Address, text: str) -> None:
        """Shows the newest state of a growing answer."""
        self._drafts[address] = text
        for watch in self._watches.get(address, ()):
            watch.draft, watch.working = text, True
            watch.changed.set()

    def working(self, address: Address, *, on: bool) -> None:
        """Shows that an answer is being made, or that its making has ended."""
        if on:
            self._drafts.setdefault(address, "")
        else:
            self._drafts.pop(address, None)
        for watch in self._watches.get(address, ()):
            watch.working = on
            watch.draft = watch.draft if on else ""
            watch.changed.set()
        self.touch(address)

    def overhear(self, address: Address, text: str = "") -> None:
        """Shows what grows in a chat of a platform, or that something does, if a page shows it."""
        if address not in self._watches:
            return
        self._heard[address] = monotonic()
        if text:
            self.draft(address, text)
        else:
            self.working(address, on=True)

    def settle(self, address: Address, after: float = 0.0) -> None:
        """Ends what was overheard in a chat of a platform, which tells of no end itself.

        With `after` only where nothing was heard for so many seconds.
        """
        known = address.channel != PAGE and address in self._drafts
        if known and monotonic() - self._heard.get(address, 0.0) >= after:
            self.working(address, on=False)

    def notice(self, address: Address, session: str, text: str) -> None:
        """Tells one session what a press of it did."""
        for watch in self._watches.get(address, ()):
            if watch.session == session:
                watch.notices.append(text)
                watch.changed.set()

    def touch(self, address: Address) -> None:
        """Notes that something is shown in a chat."""
        if address in self._watches:
            self.touched.add(address)

    def wake(self, watch: Watch) -> None:
        """Has a page look at its chat anew."""
        watch.stirred = True
        watch.changed.set()

    def end(self, watch: Watch) -> None:
        """Ends a stream: its session has ended, or lost a right."""
        watch.ended = True
        watch.changed.set()
