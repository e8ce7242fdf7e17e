"""The gatekeeper and the runner of tools, put together."""

from bot.flow.approvals.owners import Owners
from bot.flow.turn.companion import Companions
from bot.flow.turn.gatekeeper import Gatekeeper
from bot.flow.turn.grounds import Grounds
from bot.flow.turn.repetitions import Repetitions
from bot.flow.turn.tool_runner import ToolRunner
from bot.flow.turn.trusted_origins import TrustedOrigins
from bot.flow.world import Policy, StorePorts
from bot.ports.clock import Clock


def gatekeeper(
    store: StorePorts, policy: Policy, owners: Owners, companions: Companions
) -> Gatekeeper:
    """Returns the gatekeeper of all turns."""
    grounds = Grounds(store.approvals, store.rules, policy.rule_documents)
    return Gatekeeper(store.people, owners, companions, grounds, Repetitions(policy.limits))


def tool_runner(store: StorePorts, policy: Policy, clock: Clock) -> ToolRunner:
    """Returns the runner of all turns."""
    return ToolRunner(clock, policy.limits, TrustedOrigins(store.rules, store.people))
