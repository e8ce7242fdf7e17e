"""Cards, and the desks that take people's decisions."""

from collections.abc import Callable, Mapping
from functools import cached_property

from bot.flow.approvals.card_buttons import PREFIX as CARDS
from bot.flow.approvals.clocks import Clocks
from bot.flow.approvals.desk import ApprovalDesk
from bot.flow.approvals.desks import Desk
from bot.flow.approvals.open_cards import OpenCards
from bot.flow.approvals.owners import Owners
from bot.flow.approvals.referring import Referring
from bot.flow.approvals.undecided import CardEnding
from bot.flow.commands.narrowed import Narrowed
from bot.flow.composition.way_out import WayOut
from bot.flow.plans.cards import PREFIX as PLANS
from bot.flow.plans.desk import PlanDesk
from bot.flow.plans.turn_end import PlanEnding
from bot.flow.world import StorePorts, World
from bot.ports.lanes import Lanes


class PeopleAsked:
    """Builds the parts that ask people, and the desks that take their presses and replies."""

    def __init__(
        self, store: StorePorts, world: World, lanes: Callable[[], Lanes], way_out: WayOut
    ) -> None:
        self._store = store
        self._world = world
        self._lanes = lanes
        self._way_out = way_out

    @property
    def lanes(self) -> Lanes:
        return self._lanes()

    @property
    def desks(self) -> Mapping[str, Desk]:
        """Returns the desks of cards and plans, by the beginning of their buttons' data."""
        return {CARDS: self.desk, PLANS: self.plan_desk}

    @cached_property
    def desk(self) -> ApprovalDesk:
        store = self._store
        return ApprovalDesk(
            self._open_cards,
            self.card_ending,
            Referring(self._open_cards, self.owners, store.chats, store.people),
            store.approvals,
            store.outbox,
            store.ledger,
            self._world.clock,
        )

    @cached_property
    def card_ending(self) -> CardEnding:
        return CardEnding(
            self._open_cards,
            self._store.approvals,
            self._way_out.journal,
            self._lanes(),
            self._world.clock,
        )

    @cached_property
    def _open_cards(self) -> OpenCards:
        store = self._store
        journal = self._way_out.journal
        return OpenCards(
            journal, store.approvals, store.turns, store.chats, self._lanes(), self.clocks
        )

    @cached_property
    def clocks(self) -> Clocks:
        return Clocks(self._store.people)

    @cached_property
    def plan_desk(self) -> PlanDesk:
        store = self._store
        return PlanDesk(
            self._way_out.journal,
            store.plans,
            store.chats,
            store.outbox,
            self._lanes(),
            self._world.clock,
        )

    @cached_property
    def plan_ending(self) -> PlanEnding:
        return PlanEnding(self._store.people, self.owners)

    @cached_property
    def narrowed(self) -> Narrowed:
        store = self._store
        return Narrowed(store.people, store.members, self._way_out.journal)

    @cached_property
    def owners(self) -> Owners:
        return Owners(self._store.people, self._store.members, self._world.groups)
