"""Plans: one live plan a chat, moved on by whoever saw its newest version."""

import asyncio
from dataclasses import replace

import pytest

from bot.domain.change import SavePlan
from bot.domain.plans.plan import Plan, PlanState, StepState
from bot.domain.talk.chat import Chat
from bot.domain.talk.errors import Conflict
from bot.domain.talk.message import Address
from tests.contracts.store_ports import StorePorts
from tests.contracts.store_samples import a_plan, a_step, commit, later


async def stored(store: StorePorts, plan: Plan) -> Plan:
    await commit(store, SavePlan(plan, steps=plan.steps))
    return plan


async def test_a_plan_is_found_with_its_steps_as_they_were(store: StorePorts, chat: Chat):
    steps = (a_step(1), a_step(2, arguments='{"odd":"\\u0000\\ud800"}'))
    plan = await stored(store, a_plan(chat, steps=steps, owner_chats=(7, 9), wish="do it"))
    assert await store.plans.get(plan.id) == plan
    assert await store.plans.by_token(plan.token) == plan
    assert await store.plans.live(chat.id) == plan
    assert (await store.journal.agenda(chat.id)).plan == plan
    assert await store.plans.get("another") is None
    assert await store.plans.by_token("forged") is None


async def test_only_the_steps_named_change(store: StorePorts, chat: Chat):
    plan = await stored(store, a_plan(chat, steps=(a_step(1), a_step(2))))
    done = replace(plan.steps[1], state=StepState.DONE, outcome="wrote it", call="call_9")
    moved = plan.with_steps([done, a_step(3)])
    await commit(store, SavePlan(moved, plan.version, (done, moved.steps[2])))
    assert await store.plans.get(plan.id) == moved


async def test_a_step_keeps_the_skills_it_was_planned_with(store: StorePorts, chat: Chat):
    steps = (a_step(1, skill="notes"), a_step(2), a_step(3, skill="report", lender="tickets"))
    plan = await stored(store, a_plan(chat, steps=steps))
    failed = replace(steps[2], state=StepState.FAILED, outcome="it broke")
    moved = plan.with_steps([failed])
    await commit(store, SavePlan(moved, plan.version, (failed,)))
    assert await store.plans.get(plan.id) == moved


async def test_a_plan_is_moved_on_from_one_version_once(store: StorePorts, chat: Chat):
    plan = await stored(store, a_plan(chat))

    async def finalise(name: str) -> bool:
        ready = plan.in_state(PlanState.READY, title=name)
        try:
            await commit(store, SavePlan(ready, plan.version))
        except Conflict:
            return False
        return True

    outcomes = await asyncio.gather(*(finalise(f"process {n}") for n in range(6)))
    assert outcomes.count(True) == 1
    known = await store.plans.get(plan.id)
    assert known is not None
    assert known.title == f"process {outcomes.index(True)}"


async def test_a_chat_has_one_live_plan(store: StorePorts, chat: Chat):
    first = await stored(store, a_plan(chat))
    with pytest.raises(Conflict):
        await stored(store, a_plan(chat, "second"))
    other = await store.chats.at(Address("telegram", "43"), private=True)
    await stored(store, a_plan(other, "elsewhere"))
    ended = first.ended(later(5))
    await commit(store, SavePlan(ended, first.version), SavePlan(a_plan(chat, "second")))
    live = await store.plans.live(chat.id)
    assert live is not None
    assert live.id == "second"


async def test_a_new_revision_begins_without_steps_and_the_old_ones_do_not_come_back(
    store: StorePorts, chat: Chat
):
    plan = await stored(store, a_plan(chat, state=PlanState.READY, steps=(a_step(1), a_step(2))))
    again = plan.recollected(2, later(9))
    await commit(store, SavePlan(again, plan.version))
    assert await store.plans.get(plan.id) == again
    one = again.with_steps([a_step(1, tool="delete_file")])
    await commit(store, SavePlan(one, again.version, one.steps))
    assert await store.plans.get(plan.id) == one


async def test_the_plans_of_a_chat_come_newest_first(store: StorePorts, chat: Chat):
    for n in range(4):
        ended = {"state": PlanState.CANCELLED, "created_at": later(n)}
        await stored(store, a_plan(chat, f"plan-{n}", **ended))
    found = await store.plans.of_chat(chat.id, 3)
    assert [plan.id for plan in found] == ["plan-3", "plan-2", "plan-1"]
    assert (await store.journal.agenda(chat.id)).plan is None
    assert await store.plans.live(chat.id) is None


@pytest.mark.parametrize("again", ["plan-1", "plan-2"])
async def test_a_plan_or_a_token_is_given_once(store: StorePorts, chat: Chat, again: str):
    over = PlanState.CANCELLED
    await stored(store, a_plan(chat, state=over))
    with pytest.raises(Conflict):
        await stored(store, a_plan(chat, again, token="token-plan-1", state=over))
