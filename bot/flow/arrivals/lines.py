"""Lines of updates: those of one place wait for one another, those of other places do not."""

import asyncio
from collections import Counter, deque
from dataclasses import dataclass

from bot.domain.talk.message import (
    Address,
    Ignored,
    Inbound,
    InboundMessage,
    LeftOut,
    Moved,
    PresenceChange,
    Press,
    Reaction,
    Unreadable,
    Withdrawn,
)
from bot.flow.activities import ActivityOwner
from bot.flow.arrivals.patient_router import PatientRouter
from bot.ports.inbox import InboundRow

AT_WORK = 64
"""Updates routed at the same time; each is a task."""

MOST_OF_ONE = 8
"""Updates of one sender that are routed at the same time."""

MOST_HELD = 2000
"""Updates in the lines; the others stay in the inbox until there is room."""


@dataclass(frozen=True, slots=True, eq=False)
class _Held:
    """An update in its lines; `whose` is its sender, empty where there is none."""

    row: InboundRow
    inbound: Inbound
    places: tuple[str, ...]
    whose: str


class Lines(ActivityOwner):
    """Routes updates, each when it is first in the line of every place that it concerns.

    A place is a private chat, or a group with all its topics. So a slow command delays only what
    came behind it in the same place. The lines are in memory alone: an update stays new in the
    inbox until it is routed, so the next process finds all of them.
    """

    def __init__(self, router: PatientRouter) -> None:
        super().__init__()
        self._router = router
        self.held: set[int] = set()
        """The rows of the updates that stand in a line or are being routed."""
        self._lines: dict[str, deque[_Held]] = {}
        self._ready: deque[_Held] = deque()
        self._under_way: Counter[str] = Counter()
        self._workers = 0
        self._room = asyncio.Event()
        self._room.set()

    async def room(self) -> None:
        """Waits until the lines take another update."""
        await self._room.wait()

    def put(self, row: InboundRow, inbound: Inbound) -> None:
        """Puts an update at the end of its lines and returns at once."""
        places, whose = places_of(inbound), _sender(inbound)
        held = _Held(row, inbound, places, whose)
        self.held.add(row.id)
        if len(self.held) >= MOST_HELD:
            self._room.clear()
        for place in places:
            self._lines.setdefault(place, deque()).append(held)
        if self._is_first(held):
            self._ready.append(held)
            self._call_in()

    def _is_first(self, held: _Held) -> bool:
        return all(self._lines[place][0] is held for place in held.places)

    def _call_in(self) -> None:
        if self._workers < AT_WORK and self.open:
            self._workers += 1
            self.start(self._work(), name="arrivals")

    async def _work(self) -> None:
        """Routes what is ready until nothing is left, then stores marks that were collected."""
        try:
            while self._any_ready():
                while (held := self._next()) is not None:
                    await self._router.route(held.row, held.inbound)
                    self._let_go(held)
                await self._router.tidy()
        finally:
            self._workers -= 1

    def _any_ready(self) -> bool:
        return any(self._may_begin(held) for held in self._ready)

    def _may_begin(self, held: _Held) -> bool:
        return not held.whose or self._under_way[held.whose] < MOST_OF_ONE

    def _next(self) -> _Held | None:
        for at, held in enumerate(self._ready):
            if self._may_begin(held):
                del self._ready[at]
                self._under_way[held.whose] += 1
                return held
        return None

    def _let_go(self, held: _Held) -> None:
        """Takes an update out of its lines; those behind it may be ready now."""
        self.held.discard(held.row.id)
        if len(self.held) < MOST_HELD:
            self._room.set()
        self._under_way[held.whose] -= 1
        if not self._under_way[held.whose]:
            del self._under_way[held.whose]
        for place in held.places:
            line = self._lines[place]
            line.popleft()
            if not line:
                del self._lines[place]
            elif self._is_first(line[0]):
                self._ready.append(line[0])
        if self._ready:
            self._call_in()


def places_of(inbound: Inbound) -> tuple[str, ...]:
    """Returns the places that an update concerns; a move concerns two."""
    match inbound:
        case Unreadable() | Ignored():
            return ()
        case Moved(old, new):
            return tuple(dict.fromkeys((_place(old), _place(new))))
        case PresenceChange(address, besides=besides):
            return tuple(dict.fromkeys(map(_place, (address, *besides))))
        case Press() | Withdrawn() | Reaction() | LeftOut() | InboundMessage():
            return (_place(inbound.address),)


def _place(address: Address) -> str:
    return f"{address.channel}:{address.chat}"


def _sender(inbound: Inbound) -> str:
    match inbound:
        case InboundMessage() | Press() | Reaction():
            return inbound.sender.key
        case PresenceChange(by=by) if by is not None:
            return by.key
        case _:
            return ""
