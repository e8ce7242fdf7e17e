"""The work of a chat: the queue of its messages, and the desk for turns that rest."""

from collections.abc import Awaitable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from bot.flow.arrivals.threads import Threads
from bot.flow.commanding.desks import Desk
from bot.flow.composition.one_turn import OneTurn
from bot.flow.composition.rooms import Rooms
from bot.flow.composition.way_out import WayOut
from bot.flow.log.history import History
from bot.flow.queue.chat_queue import ChatQueue
from bot.flow.queue.files_here import FilesHere
from bot.flow.queue.pacing import Pacing
from bot.flow.queue.queueing import Queueing
from bot.flow.queue.rest_desk import RestDesk
from bot.flow.queue.rung import RungChats
from bot.flow.queue.seams import Seams
from bot.flow.queue.trials import Trials
from bot.flow.room import Ground
from bot.ports.lanes import Lanes


@dataclass(eq=False)
class ChatWork:
    """Builds the lanes, the chat queue, and the parts that fill it or end its work."""

    _ground: Ground
    _rooms: Rooms
    _way_out: WayOut
    _one_turn: OneTurn

    @cached_property
    def lanes(self) -> Lanes:
        return self._ground.world.lanes(self._drain)

    def _drain(self, chat: int) -> Awaitable[None]:
        return self.queue.drain(chat)

    @cached_property
    def trials(self) -> Trials:
        minutes = self._ground.policy.limits.rest_minutes
        return Trials(self._ground.wake, self._ground.world.clock, minutes)

    @property
    def desks(self) -> Sequence[Desk[Any]]:
        journal, clock = self._ground.journal, self._ground.world.clock
        return (RestDesk(journal, self.lanes, clock),)

    @cached_property
    def queue(self) -> ChatQueue:
        rooms, store, journal = self._rooms, self._ground.store, self._ground.journal
        clock = self._ground.world.clock
        return ChatQueue(
            store.journal.agenda,
            journal,
            rooms.schedules.gate,
            self.trials,
            History(journal, clock),
            self._one_turn.turns,
            rooms.reading.gathering,
            rooms.reading.overhearing,
            rooms.groups.moving,
            clock,
            self._ground.world.channels,
            self.files,
        )

    @cached_property
    def files(self) -> FilesHere | None:
        """The part that leaves chats to workers with their files, where workers have tags."""
        store, world = self._ground.store, self._ground.world
        if not (world.tags and store.peers.possible):
            return None
        return FilesHere(
            store.folders,
            world.workspaces,
            world.folder_name,
            world.tags,
            store.posts,
            self._ground.journal,
            world.clock,
            self._ground.wake,
        )

    @cached_property
    def queueing(self) -> Queueing:
        store, journal, clock = self._ground.store, self._ground.journal, self._ground.world.clock
        pace, reactions = self._ground.policy.member_pace, self._way_out.reactions
        pacing = Pacing(store.members, store.outbox, journal, clock, pace)
        queue, lanes = self.queue, self.lanes
        return Queueing(store.inbox, journal, lanes, queue, pacing, reactions, self.seams)

    @cached_property
    def rung(self) -> RungChats:
        """The part that looks at what other processes have put into the queue of a chat."""
        inbox, rows = self._ground.store.inbox, self._rooms.reading.rows
        return RungChats(inbox, rows, self.queue, self._way_out.reactions, self.lanes)

    @cached_property
    def seams(self) -> Seams:
        inbox, rows = self._ground.store.inbox, self._rooms.reading.rows
        return Seams(inbox, rows, self._ground.world.clock, self._ground.policy.bundles)

    @cached_property
    def threads(self) -> Threads:
        ground = self._ground
        return Threads(ground.world.channels, ground.store.chats, self.seams, ground.journal)
