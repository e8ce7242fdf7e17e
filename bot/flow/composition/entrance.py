"""The entrance: updates are taken in, kept, and brought to commands, desks or the queue."""

from dataclasses import dataclass
from functools import cached_property

from bot.domain.talk.message import Press
from bot.flow.arrivals.acknowledging import Acknowledging
from bot.flow.arrivals.doorway import Doorway
from bot.flow.arrivals.echoes import Echoes
from bot.flow.arrivals.heeding import Heeding
from bot.flow.arrivals.intake import Intake
from bot.flow.arrivals.knocking import Knocking
from bot.flow.arrivals.left_out_messages import LeftOutMessages
from bot.flow.arrivals.lines import Lines
from bot.flow.arrivals.patient_router import PatientRouter
from bot.flow.arrivals.presses import PresentWords, Presses
from bot.flow.arrivals.router import Router
from bot.flow.arrivals.set_aside import SetAsideUpdates
from bot.flow.arrivals.talk import GroupTalk, PrivateTalk
from bot.flow.arrivals.thumbs import Thumbs, Touches
from bot.flow.commanding.desks import Desks
from bot.flow.commands.dispatch import Commands
from bot.flow.commands.page_commands import CommandsOfPages
from bot.flow.composition.chat_work import ChatWork
from bot.flow.composition.command_table import CommandTable
from bot.flow.composition.rooms import Rooms
from bot.flow.room import Ground


@dataclass(eq=False)
class Entrance:
    """Builds the parts that take updates in; channels hand them to `intake.accept`."""

    _ground: Ground
    _rooms: Rooms
    _work: ChatWork
    _table: CommandTable

    @cached_property
    def intake(self) -> Intake:
        inbox, reading, seams = self._ground.store.inbox, self._rooms.reading, self._work.seams
        clock, shared = self._ground.world.clock, self._ground.store.peers.possible
        others = inbox if shared else None
        return Intake(inbox, reading.rows, self.lines, seams, reading.overhearing, clock, others)

    @cached_property
    def lines(self) -> Lines:
        inbox, journal = self._ground.store.inbox, self._ground.journal
        clock = self._ground.world.clock
        return Lines(PatientRouter(self._router, inbox, journal, clock, self._set_aside))

    @cached_property
    def _set_aside(self) -> SetAsideUpdates:
        store, news, journal = self._ground.store, self._rooms.groups.news, self._ground.journal
        return SetAsideUpdates(store.inbox, store.outbox, news, journal, self._look_again)

    def _look_again(self) -> None:
        self.intake.look_again()

    @cached_property
    def doorway(self) -> Doorway:
        store, journal, clock = self._ground.store, self._ground.journal, self._ground.world.clock
        return Doorway(store.door, store.people, self._knocking, store.chats, journal, clock)

    @cached_property
    def _knocking(self) -> Knocking:
        store, journal, clock = self._ground.store, self._ground.journal, self._ground.world.clock
        news = self._rooms.groups.news
        return Knocking(store.people, store.door, store.chats, news, store.outbox, journal, clock)

    @cached_property
    def _router(self) -> Router:
        groups, overhearing = self._rooms.groups, self._rooms.reading.overhearing
        journal, work = self._ground.journal, self._work
        people, chats = self._ground.store.people, self._ground.store.chats
        return Router(
            self._touches,
            PrivateTalk(people, chats, self.doorway, self._heeding, Echoes(journal)),
            GroupTalk(people, overhearing, work.seams, work.threads, self._heeding),
            overhearing,
            groups.moving,
            groups.membership,
            LeftOutMessages(people, chats, groups.news, journal),
            journal,
        )

    @property
    def _touches(self) -> Touches:
        store, journal = self._ground.store, self._ground.journal
        people, chats, channels = store.people, store.chats, self._ground.world.channels
        commands, desks, seen = self._commands, self._desks, self.acknowledging
        presses = Presses(channels, people, chats, commands, desks, journal, seen)
        thumbs = Thumbs(people, chats, store.feedback, self._table.opinions, journal)
        return Touches(presses, thumbs)

    @cached_property
    def _heeding(self) -> Heeding:
        work, journal = self._work, self._ground.journal
        chats, edits = self._ground.store.chats, self._rooms.undoing.edits
        desks, commands = self._desks, self._commands
        return Heeding(commands, desks, work.queueing, work.seams, chats, journal, edits)

    @property
    def page_commands(self) -> CommandsOfPages:
        """The commands as pages give them."""
        store, clock = self._ground.store, self._ground.world.clock
        return CommandsOfPages(self._commands, store.chats, clock)

    @cached_property
    def _commands(self) -> Commands:
        table, journal = self._table, self._ground.journal
        return Commands(table.commands, journal, self._ground.store.outbox, table.consequences)

    @cached_property
    def acknowledging(self) -> Acknowledging:
        return Acknowledging()

    @cached_property
    def _desks(self) -> Desks:
        own = (self._table.plan_replacing, self._knocking, self._set_aside)
        desks = [desk for room in self._rooms.all for desk in room.desks]
        journal = self._ground.journal
        return Desks(self._ground.store.outbox, journal, (*desks, *self._work.desks, *own))

    async def present_words(self, press: Press) -> str:
        """Returns the words that a button changes; empty where it changes none."""
        store = self._ground.store
        return await PresentWords(store.people, store.chats, self._desks).of(press)
