"""The room of groups: their commands, and what happens when the bot comes, moves or leaves."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from bot.flow.approvals.undecided import CardEnding
from bot.flow.groups.commands import GroupCommands
from bot.flow.groups.farewell import Farewell
from bot.flow.groups.leaving import LeavingDesk
from bot.flow.groups.membership import Membership
from bot.flow.groups.moving import Moving
from bot.flow.groups.news import News
from bot.flow.plans.desk import PlanDesk
from bot.flow.reading.row_reader import RowReader
from bot.flow.room import Ground, Room


@dataclass(eq=False)
class GroupRoom:
    """Builds what takes changes of groups in; `_announce` is called with chats that moved."""

    _ground: Ground
    _rows: RowReader
    _ending: CardEnding
    _plans: PlanDesk
    _announce: Callable[[int], None]

    @cached_property
    def room(self) -> Room:
        world, outbox = self._ground.world, self._ground.store.outbox
        leaving = LeavingDesk(world.groups, self._ground.journal, outbox)
        return Room(
            commands=GroupCommands(world.groups, world.channels).table,
            desks=(leaving,),
        )

    @cached_property
    def news(self) -> News:
        store = self._ground.store
        return News(store.people, store.chats, store.outbox, self._ground.world.clock)

    @cached_property
    def moving(self) -> Moving:
        chats, journal, lanes = self._ground.store.chats, self._ground.journal, self._ground.lanes()
        clock = self._ground.world.clock
        return Moving(self._rows, chats, journal, self.news, lanes, clock, self._announce)

    @cached_property
    def membership(self) -> Membership:
        store, journal, lanes = self._ground.store, self._ground.journal, self._ground.lanes()
        ending, plans, clock = self._ending, self._plans, self._ground.world.clock
        farewell = Farewell(store.approvals, store.inbox, journal, ending, plans, lanes)
        people, chats, ledger = store.people, store.chats, store.ledger
        return Membership(people, chats, ledger, journal, farewell, self.news, clock)
