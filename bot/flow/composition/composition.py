"""Puts the whole flow together: the ways in and out, the commands, and one turn."""

from collections.abc import Sequence

from bot.domain.change import Change
from bot.domain.clock.zones import Zones
from bot.domain.consent.approval import card_of
from bot.domain.talk.message import OutboundKind, RawUpdate
from bot.flow.arrivals.intake import Intake
from bot.flow.composition.chat_work import ChatWork
from bot.flow.composition.command_table import CommandTable
from bot.flow.composition.entrance import Entrance
from bot.flow.composition.one_turn import OneTurn
from bot.flow.composition.rooms import Rooms
from bot.flow.composition.way_out import WayOut
from bot.flow.inspection.own_pages import OwnPages
from bot.flow.inspection.room import Inspection
from bot.flow.log.companion import Companion
from bot.flow.money.till import Till
from bot.flow.policy import Policy
from bot.flow.room import Ground
from bot.flow.world import StorePorts, World
from bot.ports.bell import SCHEDULE_POST, Peal
from bot.ports.lanes import Lanes
from bot.ports.outbox import OutboxRow


class Composition:
    """The parts of the flow, each built when another part first asks for it.

    Channels hand their updates to `intake.accept`. Four circles are closed here: lanes drain the
    queue that wakes them, the journal wakes the lanes of errands, and the delivery reports cards
    that it could not show to their desk, and chats that moved to the intake. `companions` go along
    with every turn, after the companions that are built here. `till` is given where something
    outside is paid too: there is only one.
    """

    def __init__(
        self,
        store: StorePorts,
        world: World,
        policy: Policy,
        companions: Sequence[Companion] = (),
        till: Till | None = None,
    ) -> None:
        self.store = store
        self.world = world
        up, moved, voiced = self._given_up, self._told_of_move, self._voice_owed
        self.way_out = WayOut(store, world, policy, up, moved, voiced, self._moved)
        zones, journal = Zones(policy.timezone), self.way_out.journal
        ground = Ground(store, world, policy, journal, zones, self._lanes)
        self.rooms = Rooms(ground, till, self.way_out)
        rooms = self.rooms
        choosing, till = rooms.models.choosing, rooms.money.till
        own = OwnPages(ground, till, rooms.memory, rooms.models.preamble)
        teller = rooms.explaining.teller
        self.inspection = Inspection(ground, teller, choosing, till, own, self._apart)
        self._one_turn = OneTurn(ground, self.rooms, companions, self.way_out)
        self.chat_work = ChatWork(ground, self.rooms, self.way_out, self._one_turn)
        self.command_table = CommandTable(ground, self.rooms, self.way_out, self.chat_work)
        self.entrance = Entrance(ground, self.rooms, self.chat_work, self.command_table)

    def _apart(self) -> frozenset[str]:
        return self._one_turn.companions.own_tools

    def _lanes(self) -> Lanes:
        return self.chat_work.lanes

    @property
    def intake(self) -> Intake:
        return self.entrance.intake

    def _moved(self, change: Change) -> None:
        self.rooms.moved(change)
        if not self.store.posts.has(SCHEDULE_POST):
            self.store.bell.ring(Peal.BESIDE, 0)

    def _voice_owed(self) -> None:
        self.rooms.speaking.speaker.wake()

    async def _told_of_move(self, channel: str, update: RawUpdate) -> None:
        await self.intake.accept(channel, (update,))

    async def _given_up(self, row: OutboxRow, why: str) -> None:
        id = card_of(row.key)
        if id is not None:
            await self.rooms.approvals.ending.unaskable(id, row.chat, why)
        if row.content.kind is OutboundKind.VOICE:
            await self.rooms.speaking.speaker.undelivered(row, why)
