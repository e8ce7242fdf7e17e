"""The state of a run in the words that callers and owners read."""

from bot.domain.assignments.hook import HookCall
from bot.domain.assignments.task import RunState
from bot.ports.hook_service import CallStatus

_STATES = {
    RunState.QUEUED: "queued",
    RunState.RUNNING: "running",
    RunState.WAITING: "waiting for a person",
    RunState.AGAIN: "failed, tried again",
    RunState.FAILED: "failed",
    RunState.STOPPED: "stopped",
}
"""Every other state is `done`."""


def status_of(call: HookCall) -> CallStatus:
    """Returns the status of a call without its answer."""
    return CallStatus(call.id, call.hook, _STATES.get(call.state, "done"))
