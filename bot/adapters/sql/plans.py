"""Plans and their steps."""

from collections.abc import Sequence
from dataclasses import fields, replace
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Select, bindparam, insert, select, update

from bot.adapters.sql.columns import names, values
from bot.adapters.sql.reads import Reads
from bot.adapters.sql.tables import PLANNED, plan, plan_step
from bot.adapters.sql.upsert import Upsert, overwrite
from bot.domain.change import SavePlan
from bot.domain.plans.plan import Plan, PlanStep
from bot.domain.talk.errors import Conflict

_FIELDS = tuple(field.name for field in fields(Plan) if field.name != "steps")
_PLANS = select(*(plan.c[name] for name in _FIELDS))
_BY_TOKEN = _PLANS.where(plan.c.token == bindparam("of"))
_BY_ID = _PLANS.where(plan.c.id == bindparam("of"))
_LIVE = _PLANS.where(plan.c.chat == bindparam("of"), PLANNED)
_OF_CHAT = (
    _PLANS.where(plan.c.chat == bindparam("of"))
    .order_by(plan.c.created_at.desc(), plan.c.id)
    .limit(bindparam("most"))
)
_STEP_FIELDS = names(PlanStep)
_STEPS = (
    select(*(plan_step.c[name] for name in _STEP_FIELDS))
    .where(plan_step.c.plan == bindparam("of"), plan_step.c.revision == bindparam("collected"))
    .order_by(plan_step.c.number)
)
_MOVE = (
    update(plan)
    .where(plan.c.id == bindparam("of"), plan.c.version == bindparam("expect"))
    .values({name: bindparam(name) for name in _FIELDS if name not in ("id", "token", "chat")})
)
_SAVE_STEP = Upsert(
    plan_step, ["plan", "revision", "number"], overwrite("state", "outcome", "call")
)


class SqlPlans(Reads):
    async def by_token(self, token: str) -> Plan | None:
        return await self._database.read(lambda c: _first(c, _BY_TOKEN, token))

    async def get(self, id: str) -> Plan | None:
        return await self._database.read(lambda c: load(c, id))

    async def live(self, chat: int) -> Plan | None:
        return await self._database.read(lambda c: _first(c, _LIVE, chat))

    async def of_chat(self, chat: int, limit: int) -> Sequence[Plan]:
        wanted = {"of": chat, "most": limit}
        return await self._database.read(
            lambda c: [whole_plan(c, Plan(*row)) for row in c.execute(_OF_CHAT, wanted).all()]
        )


def load(connection: Connection, id: str) -> Plan | None:
    return _first(connection, _BY_ID, id)


def save_plans(connection: Connection, writes: Sequence[SavePlan], _at: datetime) -> None:
    for write in writes:
        row = values(write.plan, _FIELDS)
        if write.expect is None:
            connection.execute(insert(plan), row)
        else:
            _move(connection, row, write.expect)
        key = {"plan": write.plan.id, "revision": write.plan.revision}
        _SAVE_STEP.run(connection, *(key | values(s, _STEP_FIELDS) for s in write.steps))


def _move(connection: Connection, row: dict[str, Any], expect: int) -> None:
    of = row.pop("id")
    del row["token"], row["chat"]
    if connection.execute(_MOVE, {**row, "of": of, "expect": expect}).rowcount == 0:
        raise Conflict(f"plan {of} is not at version {expect}")


def _first(connection: Connection, wanted: Select[Any], of: str | int) -> Plan | None:
    row = connection.execute(wanted, {"of": of}).first()
    return None if row is None else whole_plan(connection, Plan(*row))


def whole_plan(connection: Connection, found: Plan) -> Plan:
    """Returns a plan with the steps of its newest revision."""
    wanted = {"of": found.id, "collected": found.revision}
    steps = tuple(PlanStep(*row) for row in connection.execute(_STEPS, wanted))
    return replace(found, steps=steps)
