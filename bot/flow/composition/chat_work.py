"""The work of a chat: the queue of its messages, and the changes of its group."""

from collections.abc import Awaitable, Mapping
from functools import cached_property

from bot.flow.arrivals.threads import Threads
from bot.flow.commanding.desks import Desk
from bot.flow.composition.one_turn import OneTurn
from bot.flow.composition.rooms import Rooms
from bot.flow.composition.way_in import WayIn
from bot.flow.composition.way_out import WayOut
from bot.flow.groups.farewell import Farewell
from bot.flow.groups.leaving import LeavingDesk
from bot.flow.groups.membership import Membership
from bot.flow.groups.moving import Moving
from bot.flow.groups.news import LEAVE_BUTTONS, News
from bot.flow.log.history import History
from bot.flow.queue.chat_queue import ChatQueue
from bot.flow.queue.pacing import Pacing
from bot.flow.queue.queueing import Queueing
from bot.flow.queue.rest_desk import RestDesk
from bot.flow.queue.seams import Seams
from bot.flow.queue.trials import Trials
from bot.flow.reading.overhearing import Overhearing
from bot.flow.reading.row_reader import RowReader
from bot.flow.room import Ground
from bot.flow.turn.rest_card import REST_BUTTONS
from bot.flow.ways.buttons import END_BUTTONS
from bot.flow.ways.desk import WaysDesk
from bot.ports.lanes import Lanes


class ChatWork:
    """Builds the lanes, the chat queue, and the parts that fill it, move a chat or end its work."""

    def __init__(
        self, ground: Ground, rooms: Rooms, way_in: WayIn, way_out: WayOut, one_turn: OneTurn
    ) -> None:
        self._ground = ground
        self._store = ground.store
        self._world = ground.world
        self._journal = ground.journal
        self._rooms = rooms
        self._way_in = way_in
        self._way_out = way_out
        self._one_turn = one_turn

    @cached_property
    def lanes(self) -> Lanes:
        return self._world.lanes(self._drain)

    def _drain(self, chat: int) -> Awaitable[None]:
        return self.queue.drain(chat)

    @cached_property
    def trials(self) -> Trials:
        return Trials(self._ground.wake, self._world.clock)

    @property
    def desks(self) -> Mapping[str, Desk]:
        """Returns the desks for turns that rest or have ended, and for leaving."""
        store, journal, clock = self._store, self._journal, self._world.clock
        ways = WaysDesk(journal, store.turns, store.outbox, store.people, self.lanes, clock)
        rests = RestDesk(journal, self.lanes, clock)
        leaving = LeavingDesk(self._world.groups, journal, store.outbox)
        return {
            REST_BUTTONS.letter: rests,
            END_BUTTONS.letter: ways,
            LEAVE_BUTTONS.letter: leaving,
        }

    @cached_property
    def queue(self) -> ChatQueue:
        clock = self._world.clock
        return ChatQueue(
            self._store.journal.agenda,
            self._journal,
            self._rooms.schedules.gate,
            self.trials,
            History(self._journal, self._store.chats, clock),
            self._one_turn.turns,
            self._way_in.gathering,
            self.overhearing,
            self.moving,
            clock,
            self._world.channels,
        )

    @cached_property
    def queueing(self) -> Queueing:
        store, clock, pace = self._store, self._world.clock, self._ground.policy.member_pace
        return Queueing(
            store.inbox,
            self._journal,
            self.lanes,
            self.queue,
            Pacing(store.members, store.outbox, self._journal, clock, pace),
            self._way_out.reactions,
            self.seams,
        )

    @cached_property
    def seams(self) -> Seams:
        clock, bundles = self._world.clock, self._ground.policy.bundles
        return Seams(self._store.inbox, self._way_in.rows, clock, bundles)

    @cached_property
    def overhearing(self) -> Overhearing:
        store = self._store
        return Overhearing(store.inbox, store.chats, store.people, self._journal, self._way_in.rows)

    @property
    def rows(self) -> RowReader:
        return self._way_in.rows

    @cached_property
    def threads(self) -> Threads:
        return Threads(self._world.channels, self._store.chats, self.seams, self._journal)

    @cached_property
    def moving(self) -> Moving:
        return Moving(
            self._way_in.rows,
            self._store.chats,
            self._journal,
            self.news,
            self.lanes,
            self._world.clock,
            self._way_out.delivery.wake,
        )

    @cached_property
    def membership(self) -> Membership:
        store = self._store
        farewell = Farewell(
            store.approvals,
            store.inbox,
            self._journal,
            self._rooms.approvals.ending,
            self._rooms.plans.desk,
            self.lanes,
        )
        return Membership(
            store.people,
            store.chats,
            store.ledger,
            self._journal,
            farewell,
            self.news,
            self._world.clock,
        )

    @cached_property
    def news(self) -> News:
        store = self._store
        return News(store.people, store.chats, store.outbox, self._world.clock)
