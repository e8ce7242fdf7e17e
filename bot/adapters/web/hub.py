"""Tells open pages what passes by: growing answers, signs of life, private notices."""

from asyncio import Event
from collections import OrderedDict, deque
from collections.abc import Callable, Collection, Generator
from contextlib import contextmanager
from time import monotonic

from bot.domain.talk.message import Address
from bot.domain.talk.person import Role
from bot.domain.talk.rights import Rights
from bot.domain.talk.session import PAGE

_MOST_NOTICES = 20
_MOST_OVERHEARD = 500
"""Chats of which it is known what grows in them elsewhere; the oldest are forgotten first."""


May = tuple[Role, Rights]
"""The role and the rights of a person."""


class Watch:
    """One open page that looks at a chat; `changed` is set whenever something is new for it."""

    def __init__(self, address: Address, chat: int, session: str, may: May) -> None:
        self.address = address
        self.chat = chat
        self.session = session
        self.may = may
        self.changed = Event()
        self.stirred = True
        """True when there may be something new in the store."""
        self.erased = True
        """True when words may have been erased that its page shows."""
        self.past: Collection[int] = ()
        """Messages further up than the newest ones that may change yet."""
        self.draft = ""
        self.working = False
        self.notices: deque[str] = deque(maxlen=_MOST_NOTICES)
        self.ended = False


class Hub:
    """Tells the pages that look at a chat; nothing depends on it, so it may be lost."""

    def __init__(self) -> None:
        self._watches: dict[Address, set[Watch]] = {}
        self._drafts: dict[Address, str] = {}
        self._heard: OrderedDict[Address, float] = OrderedDict()
        """The chats whose answers grow elsewhere, with the time of the last word."""
        self.opened: Callable[[], None] = _nobody
        """Is called when the first page is opened."""
        self.touched: set[Address] = set()
        """The chats in which something was shown since somebody looked."""

    @property
    def watches(self) -> list[Watch]:
        return [one for some in self._watches.values() for one in some]

    @contextmanager
    def watching(self, address: Address, chat: int, session: str, may: May) -> Generator[Watch]:
        """Yields a watch over a chat, which begins with the answer that grows there now."""
        watch = Watch(address, chat, session, may)
        watch.draft = self._drafts.get(address, "")
        watch.working = address in self._drafts
        first = not self._watches
        self._watches.setdefault(address, set()).add(watch)
        if first:
            self.opened()
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
        """Shows the newest state of an answer that grows here."""
        self._heard.pop(address, None)
        self._show(address, text)

    def _show(self, address: Address, text: str) -> None:
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
            self._heard.pop(address, None)
        for watch in self._watches.get(address, ()):
            watch.working = on
            watch.draft = watch.draft if on else ""
            watch.changed.set()
        self.touch(address)

    def overhear(self, address: Address, text: str = "") -> None:
        """Shows what grows elsewhere, or that something does: on a platform, by another process.

        A chat of a platform is left out while no page shows it.
        """
        if address not in self._watches and address.channel != PAGE:
            return
        self._heard[address] = monotonic()
        self._heard.move_to_end(address)
        if text:
            self._show(address, text)
        else:
            self.working(address, on=True)
        if len(self._heard) > _MOST_OVERHEARD:
            self._drafts.pop(self._heard.popitem(last=False)[0], None)

    def doubtful(self, address: Address) -> bool:
        """Returns True where the end of what was overheard may have been missed."""
        return address in self._heard

    def settle(self, address: Address, after: float = 0.0) -> None:
        """Ends what was overheard in a chat: nobody tells of its end.

        With `after` only where nothing was heard for so many seconds.
        """
        heard = self._heard.get(address)
        if heard is not None and monotonic() - heard >= after:
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
        """Ends a stream: its session has ended, or its person may do something else now."""
        watch.ended = True
        watch.changed.set()


def _nobody() -> None:
    """Stands for nobody who wants to know."""
