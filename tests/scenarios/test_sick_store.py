"""A store that cannot do its work for a while ends nothing."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from bot.domain.approval import Approval
from bot.domain.errors import StoreBusy
from bot.flow.application import SWEEP_SECONDS
from bot.ports.approvals import Approvals
from tests.fakes.model import call, calls
from tests.scenarios.stage import stage
from tests.scenarios.tools import writing


@dataclass
class LockedNow:
    """Approvals whose overdue cards cannot be looked for while the store is locked."""

    approvals: Approvals
    locked: bool = False
    refused: int = 0

    async def overdue(self, now: datetime, limit: int) -> Sequence[Approval]:
        if self.locked:
            self.refused += 1
            raise StoreBusy("locked")
        return await self.approvals.overdue(now, limit)

    def __getattr__(self, name: str) -> object:
        return getattr(self.approvals, name)


async def test_cards_expire_after_a_time_in_which_the_store_was_locked() -> None:
    async with stage(calls(call("w", "write", {"what": "x"})), tools=[writing()]) as scene:
        await scene.say("write x")
        await scene.parked()
        sick = LockedNow(scene.store.approvals)
        scene.store.approvals = sick  # type: ignore[assignment]
        await scene.crash()
        await scene.clock.advance(SWEEP_SECONDS)
        sick.locked = True
        await scene.clock.advance(25 * 3600)
        assert sick.refused > 0
        assert scene.cards
        sick.locked = False
        await scene.clock.advance(SWEEP_SECONDS)
        await scene.settled()
        assert scene.cards == []
