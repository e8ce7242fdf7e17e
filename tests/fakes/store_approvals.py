"""Cards, rules and consents in memory: how a change alters them."""

from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING

from bot.domain.change import (
    AddRule,
    AllowServer,
    DropConsent,
    DropRule,
    EndGrants,
    SaveApproval,
    UseRule,
)
from bot.domain.talk.errors import Conflict

if TYPE_CHECKING:
    from tests.fakes.store_rows import Rows


def save_approval(rows: "Rows", write: SaveApproval) -> None:
    card = write.approval
    rows.chat(card.chat)
    known = rows.approvals.get(card.id)
    if write.expect is None:
        if known is not None or any(a.token == card.token for a in rows.approvals.values()):
            raise Conflict(f"card {card.id} is there already")
    elif known is None or known.state is not write.expect:
        raise Conflict(f"card {card.id} is not {write.expect}")
    elif known.set_aside and not card.set_aside:
        raise Conflict(f"card {card.id} was set aside")
    rows.approvals[card.id] = card


def write_leave(
    rows: "Rows",
    write: AddRule | UseRule | DropRule | EndGrants | AllowServer | DropConsent,
    at: datetime,
) -> None:
    match write:
        case AddRule():
            rows.chat(write.rule.chat)
            rows.rules_given += 1
            rows.rules[rows.rules_given] = replace(write.rule, id=rows.rules_given)
        case UseRule(id):
            if (rule := rows.rules.get(id)) is not None:
                used = replace(rule, used=rule.used + 1, used_at=at)
                rows.rules[id] = used
        case DropRule():
            rule = rows.rules.get(write.id)
            if rule is not None and rule.chat == write.chat:
                del rows.rules[write.id]
        case EndGrants(chat, keep):
            rows.end_grants(chat, keep or "")
        case AllowServer(consent):
            rows.consents.setdefault(consent.identity, consent)
        case DropConsent():
            rows.consents.pop(write.identity, None)
