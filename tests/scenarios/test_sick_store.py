"""A store that cannot do its work for a while ends nothing."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

from bot.domain.change import InboundState
from bot.domain.consent.approval import Approval
from bot.domain.talk.chat import Chat
from bot.domain.talk.errors import StoreBusy
from bot.domain.talk.message import Address, InboundMessage, Press
from bot.domain.talk.person import Person, Sender
from bot.flow.application import SWEEP_SECONDS
from bot.flow.arrivals.set_aside import AGAIN, ASIDE_BUTTONS, KEPT, OWNERS, TRYING, AsideButton
from tests.fakes.model import call, calls, says
from tests.fakes.store import MemoryApprovals, MemoryPeople
from tests.scenarios.stage import BOB, stage
from tests.scenarios.team import PEOPLE, TEAM
from tests.scenarios.test_owner_cards import WITH_BOB
from tests.scenarios.tools import writing

FAULT = ValueError("a fault of the program")
WHEN = "(UTC). The fault is mine."


@dataclass(frozen=True)
class LockedNow(MemoryApprovals):
    """Approvals whose overdue cards cannot be looked for while the store is locked."""

    locked: asyncio.Event = field(default_factory=asyncio.Event)
    refused: list[datetime] = field(default_factory=list[datetime])

    async def overdue(self, now: datetime, limit: int) -> Sequence[Approval]:
        if self.locked.is_set():
            self.refused.append(now)
            raise StoreBusy("locked")
        return await super().overdue(now, limit)


@dataclass(frozen=True)
class FaultyOnce(MemoryPeople):
    """People who cannot be looked for until all these faults of the program are over."""

    faults: list[ValueError]

    async def met(self, sender: Sender, address: Address) -> tuple[Person | None, Chat | None]:
        self._stumble()
        return await super().met(sender, address)

    async def by_sender(self, sender: Sender) -> Person | None:
        self._stumble()
        return await super().by_sender(sender)

    def _stumble(self) -> None:
        if self.faults:
            raise self.faults.pop()


async def test_a_message_that_a_fault_set_aside_is_told_to_the_owner_and_tried_again() -> None:
    async with stage(says("Good morning."), people=PEOPLE) as scene:
        await scene.say("/help")
        await scene.until(lambda: scene.texts)
        scene.store.people = FaultyOnce(scene.store.rows, [FAULT])
        await scene.crash()
        await scene.say("Hello", BOB, at=WITH_BOB)
        what = "a message from “Bob” in their private chat, "
        told = await scene.shows(what)
        assert KEPT in told
        assert scene.channel.texts(WITH_BOB) == []
        (row,) = [one for one in scene.store.rows.inbox.values() if one.state is InboundState.DEAD]
        assert await scene.press_data(ASIDE_BUTTONS.data(AsideButton(row.id)), BOB) == OWNERS
        assert await scene.press(AGAIN) == TRYING
        await scene.until(lambda: "Good morning." in scene.channel.texts(WITH_BOB))
        assert f"{told}\n{TRYING}" in [text.replace("\n\n", "\n") for text in scene.texts]


async def test_what_was_set_aside_names_the_group_and_a_press_is_told_as_one() -> None:
    async with stage() as scene:
        await scene.say("/help")
        await scene.until(lambda: scene.texts)
        scene.store.people = FaultyOnce(scene.store.rows, [FAULT, FAULT])
        await scene.crash()
        at = scene.clock.now()
        said = InboundMessage(TEAM, BOB, "m", "Hello", at, private=False, title="Team")
        pressed = Press(TEAM, BOB, "a:b:y", "h", "c", private=False)
        updates = (scene.channel.update(said), scene.channel.update(pressed))
        await scene.application.parts.intake.accept("fake", updates)
        await scene.shows("a message from “Bob” in the group “Team”, ")
        pressing = "a press of a button from “Bob” in the group “fake:-100”"
        told = await scene.shows(pressing)
        assert f"{scene.clock.now():%Y-%m-%d %H:%M} {WHEN}" in told


async def test_cards_expire_after_a_time_in_which_the_store_was_locked() -> None:
    async with stage(calls(call("w", "write", {"what": "x"})), tools=[writing()]) as scene:
        await scene.say("write x")
        await scene.parked()
        sick = LockedNow(scene.store.rows)
        scene.store.approvals = sick
        await scene.crash()
        await scene.clock.advance(SWEEP_SECONDS)
        sick.locked.set()
        await scene.clock.advance(25 * 3600)
        assert sick.refused
        assert scene.cards
        sick.locked.clear()
        await scene.clock.advance(SWEEP_SECONDS)
        await scene.settled()
        assert scene.cards == []
