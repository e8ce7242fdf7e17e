"""Puts the whole flow together: the ways in and out, the commands, and one turn."""

from functools import cached_property

from bot.domain.change import Change
from bot.domain.consent.approval import card_of
from bot.domain.talk.message import OutboundKind, Press, RawUpdate
from bot.flow.approvals.desks import Desks
from bot.flow.arrivals.acknowledging import Acknowledging
from bot.flow.arrivals.doorway import Doorway
from bot.flow.arrivals.heeding import Heeding
from bot.flow.arrivals.intake import Intake
from bot.flow.arrivals.knocking import Knocking
from bot.flow.arrivals.left_out import LeftOutMessages
from bot.flow.arrivals.lines import Lines
from bot.flow.arrivals.patient_router import PatientRouter
from bot.flow.arrivals.router import Router
from bot.flow.arrivals.set_aside import PREFIX as ASIDE
from bot.flow.arrivals.set_aside import SetAsideUpdates
from bot.flow.arrivals.talk import GroupTalk, PrivateTalk
from bot.flow.commands.dispatch import Commands
from bot.flow.composition.chat_work import ChatWork
from bot.flow.composition.command_table import CommandTable
from bot.flow.composition.one_turn import OneTurn
from bot.flow.composition.people_asked import PeopleAsked
from bot.flow.composition.touching import present_words, touches
from bot.flow.composition.way_out import WayOut
from bot.flow.money.till import Till
from bot.flow.people.knocks import PREFIX as KNOCKS
from bot.flow.plans.question import PREFIX as QUESTIONS
from bot.flow.turn.companion import Companions
from bot.flow.world import Policy, StorePorts, World
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
        companions: Companions = (),
        till: Till | None = None,
    ) -> None:
        self.store = store
        self.world = world
        self.way_out = WayOut(
            store,
            world,
            policy,
            self._given_up,
            self._told_of_move,
            self._voice_owed,
            self._moved,
        )
        self.people_asked = PeopleAsked(store, world, self._lanes, self.way_out)
        self.one_turn = OneTurn(
            store, world, policy, companions, self.way_out, self.people_asked, till
        )
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
        work, clock = self.chat_work, self.world.clock
        rows = self.one_turn.way_in.rows
        return Intake(self.store.inbox, rows, self.lines, work.seams, work.overhearing, clock)

    @cached_property
    def lines(self) -> Lines:
        inbox, journal = self.store.inbox, self.way_out.journal
        clock = self.world.clock
        return Lines(PatientRouter(self._router, inbox, journal, clock, self._set_aside))

    @cached_property
    def _set_aside(self) -> SetAsideUpdates:
        store, journal, clock = self.store, self.way_out.journal, self.world.clock
        news = self.chat_work.news
        return SetAsideUpdates(store.inbox, store.outbox, news, journal, clock, self._look_again)

    def _look_again(self) -> None:
        self.intake.look_again()

    @cached_property
    def doorway(self) -> Doorway:
        store = self.store
        clock, journal = self.world.clock, self.way_out.journal
        return Doorway(store.door, store.people, self._knocking, store.chats, journal, clock)

    @cached_property
    def _knocking(self) -> Knocking:
        store, journal, clock = self.store, self.way_out.journal, self.world.clock
        news = self.chat_work.news
        return Knocking(store.people, store.door, store.chats, news, store.outbox, journal, clock)

    @cached_property
    def _router(self) -> Router:
        store, work, journal = self.store, self.chat_work, self.way_out.journal
        return Router(
            touches(store, self.world, journal, self._commands, self._desks, self.acknowledging),
            PrivateTalk(store.people, store.chats, self.doorway, self._heeding),
            GroupTalk(store.people, work.overhearing, work.seams, work.threads, self._heeding),
            work.overhearing,
            work.moving,
            work.membership,
            LeftOutMessages(store.people, store.chats, work.news, journal, self.world.clock),
            journal,
        )

    @cached_property
    def _heeding(self) -> Heeding:
        work, journal = self.chat_work, self.way_out.journal
        chats, edits = self.store.chats, self.one_turn.chores.undoing.edits
        desks, commands = self._desks, self._commands
        return Heeding(commands, desks, work.queueing, work.seams, chats, journal, edits)

    @cached_property
    def _commands(self) -> Commands:
        table, journal = self.command_table, self.way_out.journal
        return Commands(table.commands, journal, self.store.outbox, table.consequences)

    @cached_property
    def acknowledging(self) -> Acknowledging:
        return Acknowledging()

    @cached_property
    def _desks(self) -> Desks:
        desks = {
            **self.people_asked.desks,
            QUESTIONS: self.command_table.plan_replacing,
            **self.chat_work.desks,
            KNOCKS: self._knocking,
            ASIDE: self._set_aside,
            **self.command_table.memory_desks,
            **self.command_table.task_desks,
            **self.one_turn.schedules.goals.desks,
        }
        return Desks(self.store.outbox, self.way_out.journal, desks)

    async def present_words(self, press: Press) -> str:
        """Returns the words that a button changes; empty where it changes none."""
        return await present_words(self.store, self._desks).of(press)

    def _moved(self, change: Change) -> None:
        self.chat_work.moved(change)

    def _voice_owed(self) -> None:
        self.one_turn.speech.speaker.wake()

    async def _told_of_move(self, channel: str, update: RawUpdate) -> None:
        await self.intake.accept(channel, (update,))

    async def _given_up(self, row: OutboxRow, why: str) -> None:
        id = card_of(row.key)
        if id is not None:
            await self.people_asked.card_ending.unaskable(id, row.chat, why)
        if row.content.kind is OutboundKind.VOICE:
            await self.one_turn.speech.speaker.undelivered(row, why)
