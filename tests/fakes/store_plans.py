"""Plans in memory: how a change alters them."""

from dataclasses import replace
from typing import TYPE_CHECKING

from bot.domain.change import SavePlan
from bot.domain.talk.errors import Conflict

if TYPE_CHECKING:
    from tests.fakes.store_rows import Rows


def save_plan(rows: "Rows", write: SavePlan) -> None:
    plan = write.plan
    rows.chat(plan.chat)
    known = rows.plans.get(plan.id)
    others = [p for p in rows.plans.values() if p.id != plan.id]
    if write.expect is None:
        if known is not None or any(p.token == plan.token for p in others):
            raise Conflict(f"plan {plan.id} is there already")
        known = replace(plan, steps=())
    elif known is None or known.version != write.expect:
        raise Conflict(f"plan {plan.id} is not at version {write.expect}")
    if plan.live and any(p.live and p.chat == plan.chat for p in others):
        raise Conflict(f"chat {plan.chat} has a live plan")
    kept = known.steps if known.revision == plan.revision else ()
    steps = {s.number: s for s in (*kept, *write.steps)}
    rows.plans[plan.id] = replace(plan, steps=tuple(steps[n] for n in sorted(steps)))
