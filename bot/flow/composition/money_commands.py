"""The commands about money, and its part of the status, put together."""

from bot.domain.clock.zones import Zones
from bot.flow.commanding.table import Command
from bot.flow.commands.status_parts import Part
from bot.flow.money.budgets import BudgetCommands
from bot.flow.money.status import TheMoney
from bot.flow.money.subjects import Subjects
from bot.flow.money.till import Till
from bot.flow.money.usage import UsageCommands
from bot.flow.world import StorePorts, World


def money_commands(
    store: StorePorts, world: World, till: Till, zones: Zones
) -> tuple[Command, ...]:
    """Returns `/usage` and `/budget`."""
    ledger, clock = store.ledger, world.clock
    subjects = Subjects(ledger, store.people, store.chats, zones)
    usage = UsageCommands(ledger, subjects, zones, clock, world.charts)
    return (*usage.table, *BudgetCommands(till, ledger, clock).table)


def money_status(till: Till) -> Part:
    """Returns the part of the status about money."""
    return TheMoney(till)
