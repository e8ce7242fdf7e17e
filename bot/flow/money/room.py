"""The room of money: the one till of the program, its commands and its part of the status."""

from functools import cached_property

from bot.flow.money.budgets import BudgetCommands
from bot.flow.money.companion import MoneyCompanion
from bot.flow.money.status import TheMoney
from bot.flow.money.subjects import Subjects
from bot.flow.money.till import Till
from bot.flow.money.usage import UsageCommands
from bot.flow.room import Ground, Room


class MoneyRoom:
    """Builds what pays; `till` is given where something outside is paid too."""

    def __init__(self, ground: Ground, till: Till | None) -> None:
        self._ground = ground
        self._given = till

    @cached_property
    def room(self) -> Room:
        store, world, zones = self._ground.store, self._ground.world, self._ground.zones
        subjects = Subjects(store.ledger, store.people, store.chats, zones)
        usage = UsageCommands(store.ledger, subjects, zones, world.clock, world.charts)
        budgets = BudgetCommands(self.till, store.ledger, world.clock)
        return Room(
            commands=(*usage.table, *budgets.table),
            companions=(
                MoneyCompanion(self.till, store.people, store.chats, store.outbox).answers,
            ),
            status=(TheMoney(self.till),),
        )

    @cached_property
    def till(self) -> Till:
        if self._given is not None:
            return self._given
        ground, store = self._ground, self._ground.store
        clock, budgets = ground.world.clock, ground.policy.budgets
        return Till(store.ledger, ground.journal, store.people, ground.zones, clock, budgets)
