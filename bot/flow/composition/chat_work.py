"""The work of a chat: the queue of its messages, and the changes of its group."""

from collections.abc import Mapping
from functools import cached_property

from bot.domain.assignments.errand import ErrandState
from bot.domain.change import Change, SaveErrand
from bot.flow.approvals.desks import Desk
from bot.flow.arrivals.threads import Threads
from bot.flow.composition.one_turn import OneTurn
from bot.flow.composition.people_asked import PeopleAsked
from bot.flow.composition.way_out import WayOut
from bot.flow.groups.farewell import Farewell
from bot.flow.groups.leaving import LeavingDesk
from bot.flow.groups.membership import Membership
from bot.flow.groups.moving import Moving
from bot.flow.groups.news import PREFIX as LEAVING
from bot.flow.groups.news import News
from bot.flow.log.history import History
from bot.flow.queue.chat_queue import ChatQueue
from bot.flow.queue.pacing import Pacing
from bot.flow.queue.queueing import Queueing
from bot.flow.queue.rest_desk import RestDesk
from bot.flow.queue.seams import Seams
from bot.flow.queue.trials import Trials
from bot.flow.reading.overhearing import Overhearing
from bot.flow.turn.rest_card import PREFIX as RESTS
from bot.flow.ways.buttons import PREFIX as WAYS
from bot.flow.ways.desk import WaysDesk
from bot.flow.world import Policy, StorePorts, World
from bot.ports.lanes import Lanes


class ChatWork:
    """Builds the lanes, the chat queue, and the parts that fill it, move a chat or end its work."""

    def __init__(
        self,
        store: StorePorts,
        world: World,
        policy: Policy,
        way_out: WayOut,
        people_asked: PeopleAsked,
        one_turn: OneTurn,
    ) -> None:
        self._store = store
        self._world = world
        self._policy = policy
        self._way_out = way_out
        self._people_asked = people_asked
        self._one_turn = one_turn

    @cached_property
    def lanes(self) -> Lanes:
        return self._world.lanes(self._drain)

    async def _drain(self, chat: int) -> None:
        self.trials.expect(chat, await self.queue.drain(chat))

    def _wake(self, chat: int) -> None:
        self.lanes.wake(chat)

    @cached_property
    def trials(self) -> Trials:
        return Trials(self._wake, self._world.clock)

    def moved(self, change: Change) -> None:
        """Wakes what waits for errands, tasks and runs that a change has moved."""
        self._one_turn.schedules.changed(change)
        for write in change.writes:
            if isinstance(write, SaveErrand):
                self._errand_moved(write)

    def _errand_moved(self, write: SaveErrand) -> None:
        """Wakes the lane that an errand concerns: its home, or the chat of its parent."""
        errand = write.errand
        if write.recalls:
            self.lanes.interrupt(errand.home)
        elif write.expect is None:
            self.lanes.wake(errand.home)
        elif errand.state is not ErrandState.WORKING and not errand.taken:
            self.lanes.wake(errand.chat)

    @property
    def desks(self) -> Mapping[str, Desk]:
        """Returns the desks for turns that rest or have ended, for undoing, and for leaving."""
        store, journal, clock = self._store, self._way_out.journal, self._world.clock
        ways = WaysDesk(journal, store.turns, store.outbox, store.people, self.lanes, clock)
        rests = RestDesk(journal, self.lanes, clock)
        leaving = LeavingDesk(self._world.groups, journal, store.outbox)
        others = self._one_turn.chores.undoing.desks
        return {RESTS: rests, WAYS: ways, LEAVING: leaving, **others}

    @cached_property
    def queue(self) -> ChatQueue:
        clock = self._world.clock
        return ChatQueue(
            self._one_turn.schedules.held(self._way_out.journal),
            History(self._way_out.journal, self._store.chats, clock),
            self._one_turn.turns,
            self._one_turn.way_in.gathering,
            self.overhearing,
            self.moving,
            clock,
        )

    @cached_property
    def queueing(self) -> Queueing:
        store, clock = self._store, self._world.clock
        return Queueing(
            store.inbox,
            self._way_out.journal,
            self.lanes,
            self.queue,
            Pacing(
                store.members, store.outbox, self._way_out.journal, clock, self._policy.member_pace
            ),
            self._way_out.reactions,
            self.seams,
        )

    @cached_property
    def seams(self) -> Seams:
        clock = self._world.clock
        return Seams(self._store.inbox, self._one_turn.way_in.rows, clock, self._policy.bundles)

    @cached_property
    def overhearing(self) -> Overhearing:
        store = self._store
        return Overhearing(
            store.inbox,
            store.chats,
            store.people,
            self._way_out.journal,
            self._one_turn.way_in.rows,
        )

    @cached_property
    def threads(self) -> Threads:
        channels, chats = self._world.channels, self._store.chats
        return Threads(channels, chats, self.seams, self._way_out.journal)

    @cached_property
    def moving(self) -> Moving:
        return Moving(
            self._one_turn.way_in.rows,
            self._store.chats,
            self._way_out.journal,
            self.news,
            self.lanes,
            self._world.clock,
            self._way_out.delivery.wake,
        )

    @cached_property
    def membership(self) -> Membership:
        store = self._store
        return Membership(
            store.people,
            store.chats,
            store.ledger,
            self._way_out.journal,
            self._farewell,
            self.news,
            self._world.clock,
        )

    @property
    def _farewell(self) -> Farewell:
        return Farewell(
            self._store.approvals,
            self._store.inbox,
            self._way_out.journal,
            self._people_asked.card_ending,
            self._people_asked.plan_desk,
            self.lanes,
        )

    @cached_property
    def news(self) -> News:
        store = self._store
        return News(store.people, store.chats, store.outbox, self._world.clock)
