"""Puts the pages for people who look together: they hold nothing, and all but one only read."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial

from bot.flow.explaining.telling import StoryTeller
from bot.flow.inspection.card_pages import CardInspection
from bot.flow.inspection.channels_told import ChannelTeller
from bot.flow.inspection.chat_views import ViewInspection
from bot.flow.inspection.former_people import names_of
from bot.flow.inspection.now_pages import NowInspection
from bot.flow.inspection.own_pages import OwnPages
from bot.flow.inspection.people_pages import PeopleInspection
from bot.flow.inspection.places import Places
from bot.flow.inspection.record_pages import RecordInspection
from bot.flow.inspection.rule_pages import RuleInspection
from bot.flow.inspection.switch_pages import SwitchInspection
from bot.flow.inspection.tasks_told import TaskTeller
from bot.flow.inspection.turn_pages import TurnInspection
from bot.flow.models.choosing import Choosing
from bot.flow.money.till import Till
from bot.flow.room import Ground
from bot.ports.reading_pages import ReadingPages


@dataclass(eq=False)
class Inspection:
    """Builds the readers of pages from the ground and the rooms below."""

    _ground: Ground
    _teller: StoryTeller
    _choosing: Choosing
    _till: Till
    _own: OwnPages
    _apart: Callable[[], frozenset[str]]
    """Returns the names of tools that only some turns have."""

    def __post_init__(self) -> None:
        self._began = self._ground.world.clock.now()

    @cached_property
    def pages(self) -> ReadingPages:
        """The pages as an adapter sees them."""
        store, world, zones = self._ground.store, self._ground.world, self._ground.zones
        rules, pace = self._rules, self._ground.policy.member_pace
        now, conceal, names = world.clock.now, world.conceal, partial(names_of, store.people)
        return ReadingPages(
            self._turns,
            CardInspection(self._ground, self._places, rules),
            self._now,
            self._own.money,
            RecordInspection(*(store.records, store.ledger, names, self._places, zones, conceal)),
            PeopleInspection(store, pace, zones, world.clock.now),
            rules,
            SwitchInspection(store, world, self._choosing),
            self._own.memory,
            self._own.skills,
            self._own.servers,
            self._own.search,
            ViewInspection(
                *(store, self._ground.journal, self._choosing, self._places, now, conceal),
                self._static,
            ),
        )

    def _static(self, epoch: str) -> int | None:
        """Returns the tokens of the system text and the tools of an epoch, if they are known."""
        known = self._own.preamble.of_epoch(epoch, None, self._apart())
        return None if known is None else known.tokens

    @cached_property
    def _rules(self) -> RuleInspection:
        return RuleInspection(self._ground, self._places)

    def _places(self) -> Places:
        chats = self._ground.store.chats
        return Places(chats, chats, self._ground.world.conceal)

    @property
    def _turns(self) -> TurnInspection:
        store, world, zones = self._ground.store, self._ground.world, self._ground.zones
        journal, now = self._ground.journal, world.clock.now
        return TurnInspection(
            store.turns,
            store.chats,
            store.chats,
            journal,
            store.records,
            self._teller,
            zones,
            now,
            world.conceal,
            partial(self._own.preamble.of_epoch, apart=self._apart()),
        )

    @property
    def _now(self) -> NowInspection:
        store, world, zones = self._ground.store, self._ground.world, self._ground.zones
        channels = ChannelTeller(store, world, self._choosing, zones)
        tasks = TaskTeller(store.records, store.scheduled, store.goals, world.conceal)
        return NowInspection(
            store, world, channels, tasks, self._till, self._places, zones, self._began
        )
