"""Two people who become one, in memory."""

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from bot.domain.change import InboundState, JoinPeople
from bot.domain.consent.approval import ApprovalState
from bot.domain.memory.passage import of_person
from bot.domain.talk.errors import Conflict
from bot.domain.talk.person import Person, Role
from bot.domain.talk.rights import NOTHING
from bot.domain.turn.turn import TurnState

if TYPE_CHECKING:
    from tests.fakes.store_rows import Rows


def link(rows: "Rows", account: str, person: int) -> None:
    rows.accounts[account] = person
    for chat in [c for c in rows.chats.values() if c.private]:
        if chat.address.key == account or chat.address.key.startswith(f"{account}/"):
            rows.hand_over(chat.id, of_person(person))


def join(rows: "Rows", write: JoinPeople) -> None:
    leaving, staying = write.leaving, write.staying
    if not {leaving, staying} <= set(rows.accounts.values()) or leaving == staying:
        raise Conflict(f"person {leaving} or {staying} has no account")
    if _is_open(rows, leaving):
        raise Conflict(f"something of person {leaving} is open")
    _drop_doubles(rows, write)
    for table in rows.tables():
        _give(table, write, "asker", "collector", "decided_by", "person")
    _give(rows.usage, write, "cause")
    rows.feedback = {(one.turn, one.person): one for one in rows.feedback.values()}
    for key in [key for key, of in rows.accounts.items() if of == leaving]:
        link(rows, key, staying)
    rows.inherit(of_person(leaving), of_person(staying))
    left, stays = rows.people[leaving], rows.people[staying]
    about, zone = stays.about or left.about, stays.timezone or left.timezone
    rows.people[staying] = replace(stays, about=about, timezone=zone)
    rows.people[leaving] = Person(leaving, left.name, Role.MEMBER, NOTHING)


def _is_open(rows: "Rows", person: int) -> bool:
    turns = (t for t in rows.turns.values() if t.state is not TurnState.SETTLED)
    cards = (a for a in rows.approvals.values() if a.state is ApprovalState.OPEN)
    waiting = (r for r in rows.inbox.values() if r.state is InboundState.WAITING)
    return person in {*(one.asker for one in (*turns, *cards)), *(row.person for row in waiting)}


def _drop_doubles(rows: "Rows", write: JoinPeople) -> None:
    """Drops rules and opinions of the leaving person that the staying one has too."""
    as_stayed = {
        id: replace(rule, id=0, person=write.staying, label="", created_at=rule.created_at.min)
        for id, rule in rows.rules.items()
    }
    known = [one for id, one in as_stayed.items() if rows.rules[id].person == write.staying]
    for id, one in as_stayed.items():
        if rows.rules[id].person == write.leaving and one in known:
            del rows.rules[id]
    for turn, person in list(rows.feedback):
        if person == write.leaving and (turn, write.staying) in rows.feedback:
            del rows.feedback[turn, person]


def _give(table: dict[Any, Any], write: JoinPeople, *fields: str) -> None:
    for key, row in table.items():
        if "cause" in fields:
            if row.cause.person == write.leaving:
                table[key] = replace(row, cause=replace(row.cause, person=write.staying))
            continue
        theirs = [f for f in fields if getattr(row, f, None) == write.leaving]
        if theirs:
            given: dict[str, Any] = dict.fromkeys(theirs, write.staying)
            if hasattr(row, "version"):
                given["version"] = row.version + 1
            table[key] = replace(row, **given)
