"""A turn in the hands of its lane: the log, the row, the cards, and the time spent on it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from bot.domain.approval import Approval
from bot.domain.change import SaveTurn, Write
from bot.domain.message import Address
from bot.domain.progress import Progress, fold
from bot.domain.transcript import AskerBody, Body, Entry
from bot.domain.turn import Turn
from bot.flow.history import ChatLog
from bot.ports.clock import Clock


@dataclass(slots=True)
class Work:
    """The only mutable thing of the loop: rows as last written, replaced as they change.

    `overflow` when the provider found the last request too long, `packed` when nothing is left to
    cut from the view, `mended` when a refused request was changed once.
    """

    log: ChatLog
    turn: Turn
    approvals: tuple[Approval, ...]
    clock: Clock
    overflow: bool = False
    packed: bool = False
    mended: bool = False
    _since: float = 0.0

    def begin(self) -> None:
        """Starts counting working time."""
        self._since = self.clock.steady()

    @property
    def tags(self) -> Mapping[str, str | int]:
        """Chat and turn, for every line of the log."""
        return {"chat": self.turn.chat, "turn": self.turn.id}

    @property
    def address(self) -> Address:
        return self.log.chat.address

    @property
    def progress(self) -> Progress:
        return fold(self.turn, self.log.entries(self.turn.id), self.approvals)

    @property
    def late_approval(self) -> Approval | None:
        """The card this turn continues, when it is a continuation."""
        return next((a for a in self.approvals if a.id == self.turn.approval), None)

    @property
    def purpose(self) -> str:
        """What the person asked for, in their own first words."""
        askers = (e.body for e in self.log.entries(self.turn.id))
        return next((b.text for b in askers if isinstance(b, AskerBody)), "")

    def counted(self, **changes: Any) -> Turn:
        """The row with changes and with the time worked since it was last written."""
        now = self.clock.steady()
        worked = self.turn.worked_ms + round((now - self._since) * 1000)
        self._since = now
        return replace(self.turn, **{"worked_ms": worked, "attempts": 0, **changes})

    async def write(
        self,
        *bodies: Body,
        turn: Turn | None = None,
        also: Sequence[Write] = (),
        durable: bool = False,
    ) -> tuple[Entry, ...]:
        """Appends to the turn and saves its row, in one transaction."""
        row = turn if turn is not None else self.counted()
        entries = await self.log.write(row.id, bodies, (SaveTurn(row), *also), durable=durable)
        self.turn = row
        return entries
