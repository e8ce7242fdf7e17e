"""Rings other processes for changes that their open pages show."""

from collections.abc import Callable
from time import monotonic

from bot.domain.change import Change, SaveApproval, SavePlan, Show
from bot.ports.bell import Bell, Peal
from bot.ports.outbox import Delivered

_LOOKED_SECONDS = 30.0
"""Seconds after a ring in which another process is known to have open pages."""


class PageRings:
    """Rings for cards and plans always, and for messages while another process has open pages."""

    def __init__(self, bell: Bell, steady: Callable[[], float] = monotonic) -> None:
        self._bell = bell
        self._steady = steady
        self._looked: float | None = None

    def hear(self, peal: Peal, chat: int) -> None:
        del chat
        if peal is Peal.LOOKED:
            self._looked = self._steady()

    def committed(self, change: Change) -> None:
        for write in change.writes:
            match write:
                case SaveApproval():
                    self._bell.ring(Peal.ASKED, write.approval.chat)
                case SavePlan():
                    self._bell.ring(Peal.ASKED, write.plan.chat)
                case Show() if self._is_looked_at:
                    self._bell.ring(Peal.SHOWN, write.chat)
                case _:
                    pass

    def delivered(self, result: Delivered) -> None:
        del result
        if self._is_looked_at:
            self._bell.ring(Peal.SHOWN, 0)

    @property
    def _is_looked_at(self) -> bool:
        return self._looked is not None and self._steady() - self._looked < _LOOKED_SECONDS
