"""The room of people: the commands of owners about them, and what people tell of themselves."""

from collections.abc import Sequence
from functools import cached_property

from bot.flow.approvals.undecided import CardEnding
from bot.flow.commanding.table import Command
from bot.flow.models.preamble import PreambleMaker
from bot.flow.people.brought_back import BroughtBackDesk
from bot.flow.people.commands import PeopleCommands
from bot.flow.people.fault_news import FaultNews
from bot.flow.people.knocks import Knocks
from bot.flow.people.letting_in import LettingInCommand
from bot.flow.people.linking import LinkCommand
from bot.flow.people.narrowed import Narrowed
from bot.flow.people.page_newcomers import PageNewcomers
from bot.flow.people.personal import PersonalCommands
from bot.flow.people.revoking import RevokeCommand
from bot.flow.people.signing_in import LoginCommand
from bot.flow.people.zone_asking import Rezoned, ZoneAsking
from bot.flow.people.zone_question import ZoneQuestion
from bot.flow.room import Ground, Room


class PeopleRoom:
    """Builds what lets people in and gives them rights; `rezoned` moves tasks to a new zone."""

    def __init__(
        self, ground: Ground, preamble: PreambleMaker, ending: CardEnding, rezoned: Rezoned
    ) -> None:
        self._ground = ground
        self._preamble = preamble
        self._ending = ending
        self._rezoned = rezoned

    @cached_property
    def room(self) -> Room:
        ground, store = self._ground, self._ground.store
        world = ground.world
        zones = ZoneAsking(ground.journal, store.outbox, world.zones_at, self._rezoned, world.clock)
        question = zone_question(ground)
        return Room(
            commands=self._of_owners,
            desks=(zones, BroughtBackDesk(store.outbox, ground.journal)),
            companions=() if question is None else (question.answers,),
            everywhere={"news of faulty channels": self._faults.run},
        )

    @property
    def _of_owners(self) -> Sequence[Command]:
        store, clock = self._ground.store, self._ground.world.clock
        people, members, knocks = store.people, store.members, Knocks(store.outbox)
        pace, zones = self._ground.policy.member_pace, self._ground.zones
        newcomers = PageNewcomers(people, members, clock, self._login)
        return (
            *LettingInCommand(people, store.chats, knocks, clock, newcomers).table,
            *LinkCommand(people, members, store.outbox, knocks, clock).table,
            *PeopleCommands(people, members, self._preamble, clock, pace, zones).table,
            *RevokeCommand(people, members, self._ending, knocks, clock, self._login).table,
        )

    @property
    def _login(self) -> LoginCommand:
        sessions, world = self._ground.store.sessions, self._ground.world
        return LoginCommand(sessions, sessions, world.clock, world.page)

    @property
    def personal(self) -> Sequence[Command]:
        """`/about`, `/timezone` and `/login`, which the help lists behind goals."""
        zones, world = self._ground.zones, self._ground.world
        own = PersonalCommands(zones, world.clock, self._rezoned, world.channels)
        return (*own.table, *self._login.table)

    @property
    def _faults(self) -> FaultNews:
        ground = self._ground
        return FaultNews(
            ground.world.channel_faults, ground.store.members, ground.journal, ground.world.clock
        )

    @property
    def narrowed(self) -> Narrowed:
        """The part that tells owners, once after an update, who may only talk now."""
        store = self._ground.store
        return Narrowed(store.people, store.members, self._ground.journal)


def zone_question(ground: Ground) -> ZoneQuestion | None:
    """Returns the question which clock a person uses; None where a setting tells it."""
    store, channels = ground.store, ground.world.channels
    if ground.policy.timezone is not None:
        return None
    return ZoneQuestion(store.people, store.outbox, channels)
