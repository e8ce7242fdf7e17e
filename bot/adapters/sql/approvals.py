"""Cards and standing rules."""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Boolean, Connection, Select, bindparam, delete, insert, or_, select, update

from bot.adapters.sql.chats import forget_offers
from bot.adapters.sql.columns import columns, names, values
from bot.adapters.sql.reads import Reads
from bot.adapters.sql.tables import OPEN, PENDING_CARDS, approval, rule
from bot.domain.change import AddRule, DropRule, EndGrants, SaveApproval, UseRule
from bot.domain.consent.approval import Approval, ApprovalState, Rule
from bot.domain.talk.errors import Conflict

_FIELDS = names(Approval)
_CARDS = select(*columns(approval, Approval))
_AGE = (approval.c.created_at, approval.c.position, approval.c.id)
_BY_TOKEN = _CARDS.where(approval.c.token == bindparam("of"))
_BY_ID = _CARDS.where(approval.c.id == bindparam("of"))
_OF_TURN = _CARDS.where(approval.c.turn == bindparam("of")).order_by(*_AGE)
_OPEN_IN = _CARDS.where(approval.c.chat == bindparam("of"), OPEN).order_by(*_AGE)
_OVERDUE = (
    _CARDS.where(approval.c.expires_at <= bindparam("now"), OPEN)
    .order_by(approval.c.expires_at)
    .limit(bindparam("most"))
)
_PENDING = _CARDS.where(approval.c.chat == bindparam("of"), *PENDING_CARDS)
_NAMED = _CARDS.where(approval.c.id.in_(bindparam("named", expanding=True)))
_ADD = insert(approval)
_MOVE = (
    update(approval)
    .where(
        approval.c.id == bindparam("of"),
        approval.c.state == bindparam("expect"),
        or_(~approval.c.set_aside, bindparam("aside", type_=Boolean)),
    )
    .values({name: bindparam(name) for name in _FIELDS if name != "id"})
)
_RULE_FIELDS = tuple(name for name in names(Rule) if name != "id")
_RULES_OF = (
    select(*columns(rule, Rule))
    .where(rule.c.chat == bindparam("of"), rule.c.person == bindparam("whose"))
    .order_by(rule.c.id)
)
_END_GRANTS = delete(rule).where(
    rule.c.chat == bindparam("of"), rule.c.under != "", rule.c.under != bindparam("keep")
)
_USE_RULE = (
    update(rule)
    .where(rule.c.id == bindparam("rule"))
    .values(used=rule.c.used + 1, used_at=bindparam("at"))
)
_DROP_RULE = delete(rule).where(rule.c.id == bindparam("rule"), rule.c.chat == bindparam("of"))


class SqlApprovals(Reads):
    async def by_token(self, token: str) -> Approval | None:
        found = await self._cards(_BY_TOKEN, token)
        return found[0] if found else None

    async def get(self, id: str) -> Approval | None:
        found = await self._cards(_BY_ID, id)
        return found[0] if found else None

    async def open_in(self, chat: int) -> Sequence[Approval]:
        return await self._cards(_OPEN_IN, chat)

    async def of_turn(self, turn: str) -> Sequence[Approval]:
        return await self._cards(_OF_TURN, turn)

    async def overdue(self, now: datetime, limit: int) -> Sequence[Approval]:
        return await self._all(Approval, _OVERDUE, now=now, most=limit)

    async def _cards(self, wanted: Select[Any], of: str | int) -> list[Approval]:
        return await self._all(Approval, wanted, of=of)


class SqlRules(Reads):
    async def of(self, person: int, chat: int) -> Sequence[Rule]:
        return await self._all(Rule, _RULES_OF, of=chat, whose=person)


def pending(connection: Connection, chat: int, named: Collection[str]) -> list[Approval]:
    """Returns cards of unsettled turns, the named ones, and set-aside ones whose end is unread."""
    cards = {row.id: Approval(*row) for row in connection.execute(_PENDING, {"of": chat})}
    if not cards.keys() >= set(named):
        found = connection.execute(_NAMED, {"named": list(named)})
        cards.update({row.id: Approval(*row) for row in found})
    return sorted(cards.values(), key=lambda card: (card.created_at, card.position, card.id))


def of_turns(connection: Connection, turns: Sequence[str]) -> list[Approval]:
    """Returns the cards of these turns, which work in a home."""
    return [Approval(*row) for turn in turns for row in connection.execute(_OF_TURN, {"of": turn})]


def save_approvals(connection: Connection, writes: Sequence[SaveApproval], _at: datetime) -> None:
    new = [values(write.approval, _FIELDS) for write in writes if write.expect is None]
    if new:
        connection.execute(_ADD, [{**row, "turn_settled": False} for row in new])
    for write in writes:
        if write.expect is not None:
            _move(connection, write.approval, write.expect)


def add_rules(connection: Connection, writes: Sequence[AddRule], _at: datetime) -> None:
    connection.execute(insert(rule), [values(write.rule, _RULE_FIELDS) for write in writes])


def use_rules(connection: Connection, writes: Sequence[UseRule], at: datetime) -> None:
    connection.execute(_USE_RULE, [{"rule": write.id, "at": at} for write in writes])


def drop_rules(connection: Connection, writes: Sequence[DropRule], _at: datetime) -> None:
    connection.execute(_DROP_RULE, [{"rule": write.id, "of": write.chat} for write in writes])


def end_grants(connection: Connection, writes: Sequence[EndGrants], _at: datetime) -> None:
    rows = [{"of": write.chat, "keep": write.keep or ""} for write in writes]
    connection.execute(_END_GRANTS, rows)
    forget_offers(connection, writes)


def _move(connection: Connection, card: Approval, expect: ApprovalState) -> None:
    row = {**values(card, _FIELDS), "of": card.id, "expect": expect, "aside": card.set_aside}
    del row["id"]
    if connection.execute(_MOVE, row).rowcount == 0:
        raise Conflict(f"card {card.id} is not {expect}, or was set aside")
