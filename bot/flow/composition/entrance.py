"""The entrance: updates are taken in, kept, and brought to commands, desks or the queue."""

from functools import cached_property

from bot.domain.talk.message import Press
from bot.flow.arrivals.acknowledging import Acknowledging
from bot.flow.arrivals.doorway import Doorway
from bot.flow.arrivals.heeding import Heeding
from bot.flow.arrivals.intake import Intake
from bot.flow.arrivals.knocking import Knocking
from bot.flow.arrivals.left_out_messages import LeftOutMessages
from bot.flow.arrivals.lines import Lines
from bot.flow.arrivals.patient_router import PatientRouter
from bot.flow.arrivals.router import Router
from bot.flow.arrivals.set_aside import ASIDE_BUTTONS, SetAsideUpdates
from bot.flow.arrivals.talk import GroupTalk, PrivateTalk
from bot.flow.commanding.desks import Desks
from bot.flow.commands.dispatch import Commands
from bot.flow.composition.chat_work import ChatWork
from bot.flow.composition.command_table import CommandTable
from bot.flow.composition.rooms import Rooms
from bot.flow.composition.touching import present_words, touches
from bot.flow.people.knocks import KNOCK_BUTTONS
from bot.flow.plans.replace_question import REPLACE_BUTTONS
from bot.flow.room import Ground


class Entrance:
    """Builds the parts that take updates in; channels hand them to `intake.accept`."""

    def __init__(
        self, ground: Ground, rooms: Rooms, chat_work: ChatWork, command_table: CommandTable
    ) -> None:
        self._ground = ground
        self._store = ground.store
        self._world = ground.world
        self._journal = ground.journal
        self._rooms = rooms
        self._work = chat_work
        self._table = command_table

    @cached_property
    def intake(self) -> Intake:
        work, clock = self._work, self._world.clock
        rows = self._work.rows
        return Intake(self._store.inbox, rows, self.lines, work.seams, work.overhearing, clock)

    @cached_property
    def lines(self) -> Lines:
        inbox, journal = self._store.inbox, self._journal
        clock = self._world.clock
        return Lines(PatientRouter(self._router, inbox, journal, clock, self._set_aside))

    @cached_property
    def _set_aside(self) -> SetAsideUpdates:
        store, news, journal = self._store, self._work.news, self._journal
        return SetAsideUpdates(store.inbox, store.outbox, news, journal, self._look_again)

    def _look_again(self) -> None:
        self.intake.look_again()

    @cached_property
    def doorway(self) -> Doorway:
        store = self._store
        clock, journal = self._world.clock, self._journal
        return Doorway(store.door, store.people, self._knocking, store.chats, journal, clock)

    @cached_property
    def _knocking(self) -> Knocking:
        store, journal, clock = self._store, self._journal, self._world.clock
        news = self._work.news
        return Knocking(store.people, store.door, store.chats, news, store.outbox, journal, clock)

    @cached_property
    def _router(self) -> Router:
        store, work, journal = self._store, self._work, self._journal
        return Router(
            touches(store, self._world, journal, self._commands, self._desks, self.acknowledging),
            PrivateTalk(store.people, store.chats, self.doorway, self._heeding),
            GroupTalk(store.people, work.overhearing, work.seams, work.threads, self._heeding),
            work.overhearing,
            work.moving,
            work.membership,
            LeftOutMessages(store.people, store.chats, work.news, journal),
            journal,
        )

    @cached_property
    def _heeding(self) -> Heeding:
        work, journal = self._work, self._journal
        chats, edits = self._store.chats, self._rooms.undoing.edits
        desks, commands = self._desks, self._commands
        return Heeding(commands, desks, work.queueing, work.seams, chats, journal, edits)

    @cached_property
    def _commands(self) -> Commands:
        table, journal = self._table, self._journal
        return Commands(table.commands, journal, self._store.outbox, table.consequences)

    @cached_property
    def acknowledging(self) -> Acknowledging:
        return Acknowledging()

    @cached_property
    def _desks(self) -> Desks:
        desks = {
            **{letter: desk for room in self._rooms.all for letter, desk in room.desks.items()},
            **self._work.desks,
            REPLACE_BUTTONS.letter: self._table.plan_replacing,
            KNOCK_BUTTONS.letter: self._knocking,
            ASIDE_BUTTONS.letter: self._set_aside,
        }
        return Desks(self._store.outbox, self._journal, desks)

    async def present_words(self, press: Press) -> str:
        """Returns the words that a button changes; empty where it changes none."""
        return await present_words(self._store, self._desks).of(press)
