"""Writes of plans and their steps."""

from typing import TypeAlias

from bot.domain.plans.plan import Plan, PlanStep
from bot.domain.value import frozen


@frozen
class SavePlan:
    """Inserts a plan (`expect` None) or moves it on; Conflict when its version is another one.

    A second live plan of a chat is a Conflict too. `steps` are those that are new or changed.
    """

    plan: Plan
    expect: int | None = None
    steps: tuple[PlanStep, ...] = ()


PlanWrite: TypeAlias = SavePlan
