"""People in memory: how a change alters them."""

from dataclasses import replace
from typing import TYPE_CHECKING

from bot.domain.change import (
    AskStop,
    CheckAccess,
    InboundState,
    JoinPeople,
    LinkAccount,
    Revoke,
    SaveProfile,
    SaveTerms,
)
from bot.domain.talk.errors import Conflict
from bot.domain.talk.person import Person, Role
from bot.domain.talk.rights import NOTHING
from bot.domain.turn.turn import ACCESS_ENDED
from tests.fakes.store_joining import join, link
from tests.fakes.store_scheduled import pause
from tests.fakes.store_turns import write_turn

if TYPE_CHECKING:
    from tests.fakes.store_rows import Rows


def write_person(
    rows: "Rows",
    write: SaveTerms | SaveProfile | LinkAccount | JoinPeople | CheckAccess | Revoke,
) -> None:
    match write:
        case LinkAccount(account, person):
            link(rows, account, person)
        case JoinPeople():
            join(rows, write)
        case CheckAccess(person):
            if person not in rows.accounts.values():
                raise Conflict(f"person {person} has no account any more")
        case SaveTerms(person, rights, pace, expect):
            if expect is not None and rows.people[person].rights != expect:
                raise Conflict(f"person {person} has other rights now")
            rows.people[person] = replace(rows.people[person], rights=rights, pace=pace)
        case SaveProfile(person, about, zone):
            known = rows.people[person]
            rows.people[person] = replace(known, about=about, timezone=zone)
        case Revoke():
            _revoke(rows, write)


def _revoke(rows: "Rows", write: Revoke) -> None:
    gone, dropped = write.person, InboundState.DROPPED
    for turn in [t for t in rows.turns.values() if t.asker == gone]:
        write_turn(rows, AskStop(turn.id, write.how))
    for row in [r for r in rows.inbox.values() if r.person == gone]:
        if row.state is InboundState.WAITING:
            rows.inbox[row.id] = replace(row, state=dropped)
    rows.rules = {id: rule for id, rule in rows.rules.items() if rule.person != gone}
    pause(rows, [one for one in rows.tasks.values() if one.asker == gone], ACCESS_ENDED)
    rows.accounts = {key: id for key, id in rows.accounts.items() if id != gone}
    rows.sessions = {id: one for id, one in rows.sessions.items() if one.person != gone}
    rows.sign_ins = {id: one for id, one in rows.sign_ins.items() if one.person != gone}
    known = rows.people.get(gone)
    if known is not None:
        rows.people[gone] = Person(gone, known.name, Role.MEMBER, NOTHING)
