"""The room of approvals: cards, the desk that takes decisions about them, and standing rules."""

from functools import cached_property

from bot.flow.approvals.clocks import Clocks
from bot.flow.approvals.desk import ApprovalDesk
from bot.flow.approvals.open_cards import OpenCards
from bot.flow.approvals.owners import Owners
from bot.flow.approvals.referring import Referring
from bot.flow.approvals.rule_commands import RuleCommands
from bot.flow.approvals.ruled import RuledCompanion
from bot.flow.approvals.undecided import CardEnding
from bot.flow.room import Ground, Room


class ApprovalRoom:
    """Builds the parts that ask people before a call, and take their decisions."""

    def __init__(self, ground: Ground) -> None:
        self._ground = ground

    @cached_property
    def room(self) -> Room:
        return Room(
            commands=self._rules.table,
            desks=(self._desk,),
            companions=(RuledCompanion().answers,),
        )

    @property
    def _rules(self) -> RuleCommands:
        ground, store = self._ground, self._ground.store
        servers = [spec.name for spec in ground.world.own_servers]
        return RuleCommands(
            store.approvals,
            store.rules,
            store.consents,
            ground.journal,
            ground.world.clock,
            ground.policy.documents,
            servers,
        )

    @cached_property
    def _desk(self) -> ApprovalDesk:
        store = self._ground.store
        return ApprovalDesk(
            self._open_cards,
            self.ending,
            Referring(self._open_cards, self.owners, store.chats, store.people),
            store.approvals,
            store.outbox,
            store.ledger,
            self._ground.world.clock,
        )

    @cached_property
    def ending(self) -> CardEnding:
        """The part that ends cards that nobody decides."""
        ground = self._ground
        approvals, clock = ground.store.approvals, ground.world.clock
        return CardEnding(self._open_cards, approvals, ground.journal, ground.lanes(), clock)

    @cached_property
    def _open_cards(self) -> OpenCards:
        ground, store = self._ground, self._ground.store
        clocks, lanes = Clocks(store.people), ground.lanes()
        return OpenCards(ground.journal, store.approvals, store.turns, store.chats, lanes, clocks)

    @cached_property
    def owners(self) -> Owners:
        store = self._ground.store
        return Owners(store.people, store.members, self._ground.world.groups)
