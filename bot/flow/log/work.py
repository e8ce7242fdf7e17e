"""A turn in the hands of its lane: the log, the row, the cards, and the time spent on it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from bot.domain.approval import Approval
from bot.domain.budget import Limits
from bot.domain.bundle import own_words
from bot.domain.change import CountStart, SaveTurn, Write
from bot.domain.message import Address
from bot.domain.progress import Progress, fold
from bot.domain.transcript import AskerBody, Body, Entry
from bot.domain.turn import Turn
from bot.flow.log.history import ChatLog
from bot.flow.log.starts import Start
from bot.ports.clock import Clock


@dataclass(slots=True, eq=False, weakref_slot=True)
class Work:
    """The only mutable thing of the loop: rows as last written, replaced as they change.

    One is equal to itself alone, so what others keep of a turn can be kept by it. `occasion` says
    what the turn is for where no message of a person does.
    """

    log: ChatLog
    turn: Turn
    approvals: tuple[Approval, ...]
    clock: Clock
    occasion: str = ""
    counted_after: float = Limits().counted_after_seconds
    _torn: bool = False
    _since: float = 0.0
    _folded: tuple[Turn, tuple[Approval, ...], int, Progress] | None = None
    _start: Start | None = None

    def begin(self) -> None:
        """Starts counting working time."""
        self._since = self.clock.steady()

    @property
    def start(self) -> Start:
        """The present start of the turn."""
        if self._start is None:
            self._start = Start(self._count_start, self.clock, self.counted_after)
        return self._start

    async def _count_start(self) -> None:
        await self.log.note(CountStart(self.turn.id))

    @property
    def tags(self) -> Mapping[str, str | int]:
        """Chat and turn, for every line of the log."""
        return {"chat": self.turn.chat, "turn": self.turn.id}

    @property
    def address(self) -> Address:
        return self.log.chat.address

    @property
    def progress(self) -> Progress:
        """How far the turn is; folded anew when its row, its cards or the log have changed."""
        row, cards, end = self.turn, self.approvals, self.log.end
        known = self._folded
        if known is None or known[0] is not row or known[1] is not cards or known[2] != end:
            known = (row, cards, end, fold(row, self.log.entries(row.id), cards))
            self._folded = known
        return known[3]

    @property
    def late_approval(self) -> Approval | None:
        """The card this turn continues, when it is a continuation."""
        return next((a for a in self.approvals if a.id == self.turn.approval), None)

    @property
    def purpose(self) -> str:
        """What the person asked for, in their own first words."""
        askers = (e.body for e in self.log.entries(self.turn.id))
        continued = self.late_approval.purpose if self.late_approval is not None else ""
        asked = (own_words(b.text) for b in askers if isinstance(b, AskerBody))
        return next(asked, continued or self.occasion)

    @property
    def message_ids(self) -> tuple[str, ...]:
        """The messages this turn answers."""
        bodies = (entry.body for entry in self.log.entries(self.turn.id))
        asked = (b.message_id for b in bodies if isinstance(b, AskerBody))
        return tuple(id for id in asked if id is not None)

    def counted(self, **changes: Any) -> Turn:
        """The row with changes and with the time worked since it was last written."""
        now = self.clock.steady()
        worked = self.turn.worked_ms + round((now - self._since) * 1000)
        self._since = now
        progress = {"attempts": 0, "rests": 0, "rests_until": None}
        return replace(self.turn, **{"worked_ms": worked, **progress, **changes})

    async def write(
        self,
        *bodies: Body,
        turn: Turn | None = None,
        also: Sequence[Write] = (),
        durable: bool = False,
    ) -> tuple[Entry, ...]:
        """Appends to the turn and saves its row, in one transaction."""
        row = turn if turn is not None else self.counted()
        self.start.progress()
        self._torn = True
        entries = await self.log.write(row.id, bodies, (SaveTurn(row), *also), durable=durable)
        self._torn = False
        self.turn = row
        return entries

    def hold(self, body: Body, turn: Turn, also: Sequence[Write]) -> None:
        """Appends in memory what the next write is to carry; `release` does not wait for one."""
        self.log.hold(turn.id, (body,), also)
        self.turn = turn

    async def interrupted(self) -> None:
        """Takes back that a start was counted which ends in good order, and so has not failed.

        When a write was broken off, nobody here knows the row any more, and it stays as it is.
        """
        if self.start.counted and not self._torn:
            await self.write(turn=self.turn)

    async def release(self) -> None:
        """Writes what is held, if anything is."""
        if self.log.holds:
            await self.write()
