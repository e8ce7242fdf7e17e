"""The commands about money, and its part of the status, put together."""

from bot.domain.zones import Zones
from bot.flow.commands import Command
from bot.flow.commands.budgets import BudgetCommands
from bot.flow.commands.status_money import TheMoney
from bot.flow.commands.status_parts import Part
from bot.flow.commands.subjects import Subjects
from bot.flow.commands.usage import UsageCommands
from bot.flow.money.till import Till
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
