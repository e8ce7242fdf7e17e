"""Puts the whole flow together: the ways in and out, the commands, and one turn."""

from collections.abc import Sequence
from functools import cached_property

from bot.domain.approval import card_of
from bot.domain.message import RawUpdate
from bot.flow.approvals.cards import PREFIX as CARDS
from bot.flow.approvals.desks import Desks
from bot.flow.arrivals.acknowledging import Acknowledging
from bot.flow.arrivals.doorway import Doorway
from bot.flow.arrivals.intake import Intake
from bot.flow.arrivals.router import Destinations, Router
from bot.flow.commands import Commands
from bot.flow.composition.chat_work import ChatWork
from bot.flow.composition.command_table import CommandTable
from bot.flow.composition.one_turn import OneTurn
from bot.flow.composition.people_asked import PeopleAsked
from bot.flow.composition.way_out import WayOut
from bot.flow.plans.cards import PREFIX as PLANS
from bot.flow.plans.question import PREFIX as QUESTIONS
from bot.flow.turn.companion import Companion
from bot.flow.turn.rest_card import PREFIX as RESTS
from bot.flow.world import Policy, StorePorts, World
from bot.ports.lanes import Lanes
from bot.ports.outbox import OutboxRow


class Composition:
    """The parts of the flow, each built when another part first asks for it.

    Channels hand their updates to `intake.accept`. Three circles are closed here: lanes drain the
    queue that wakes them, and the delivery reports cards that it could not show to their desk, and
    chats that moved to the intake. `companions` go along with every turn, after the companions
    that are built here.
    """

    def __init__(
        self,
        store: StorePorts,
        world: World,
        policy: Policy,
        companions: Sequence[Companion] = (),
    ) -> None:
        self.store = store
        self.world = world
        self.way_out = WayOut(store, world, policy, self._given_up, self._told_of_move)
        self.people_asked = PeopleAsked(store, world, self._lanes, self.way_out)
        self.one_turn = OneTurn(store, world, policy, companions, self.way_out, self.people_asked)
        self.chat_work = ChatWork(
            store, world, policy, self.way_out, self.people_asked, self.one_turn
        )
        self.command_table = CommandTable(
            store,
            world,
            policy,
            self.way_out,
            self.people_asked,
            self.one_turn,
            self.chat_work,
        )

    def _lanes(self) -> Lanes:
        return self.chat_work.lanes

    @cached_property
    def intake(self) -> Intake:
        work, journal = self.chat_work, self.way_out.journal
        return Intake(self.store.inbox, journal, self._router, work.seams, self.world.clock)

    @cached_property
    def doorway(self) -> Doorway:
        store = self.store
        return Doorway(store.door, store.chats, self.way_out.journal, self.world.clock)

    @cached_property
    def _router(self) -> Router:
        store, work, journal = self.store, self.chat_work, self.way_out.journal
        table = self.command_table
        destinations = Destinations(
            self.doorway,
            Commands(table.commands, journal, table.consequences),
            self._desks,
            self.acknowledging,
            work.queueing,
            work.overhearing,
            work.moving,
            work.membership,
        )
        return Router(
            self.world.channels,
            self.one_turn.rows,
            store.people,
            store.chats,
            journal,
            work.seams,
            destinations,
        )

    @cached_property
    def acknowledging(self) -> Acknowledging:
        return Acknowledging()

    @cached_property
    def _desks(self) -> Desks:
        desks = {
            CARDS: self.people_asked.desk,
            PLANS: self.people_asked.plan_desk,
            QUESTIONS: self.command_table.plan_replacing,
            RESTS: self.chat_work.rest_desk,
        }
        return Desks(self.store.outbox, self.way_out.journal, desks)

    async def _told_of_move(self, channel: str, update: RawUpdate) -> None:
        await self.intake.accept(channel, (update,))

    async def _given_up(self, row: OutboxRow, why: str) -> None:
        id = card_of(row.key)
        if id is not None:
            await self.people_asked.card_ending.unaskable(id, row.chat, why)
