"""Plans and steps for tests of the domain."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from bot.domain.plans.plan import Plan, PlanState, PlanStep
from bot.domain.tools.tool import Effect, ToolCall
from bot.domain.turn.mandate import PERSONAL
from tests.domain.logs import NOON, preview


def a_step(number: int, of: ToolCall, **changes: Any) -> PlanStep:
    """The step that stands for a call."""
    seen = preview(of)
    step = PlanStep(number, of.name, of.canonical, of.subject, Effect.WRITE, seen)
    return replace(step, **changes)


def a_plan(
    *calls: ToolCall,
    state: PlanState = PlanState.COLLECTING,
    steps: Sequence[PlanStep] = (),
    **changes: Any,
) -> Plan:
    """A plan of Ann's with a step for each of these calls."""
    made = tuple(steps) or tuple(a_step(n, c) for n, c in enumerate(calls, start=1))
    known: dict[str, Any] = {
        "id": "p1",
        "token": "0123456789abcdef01234_",
        "chat": 1,
        "asker": 1,
        "asker_name": "Ann",
        "collector": 1,
        "created_at": NOON,
        "since": NOON,
        "mandate": PERSONAL,
    }
    return Plan(**known | {"state": state, "steps": made} | changes)
