"""Gives everything of one person to another one, when both are the same."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import Connection, bindparam, delete, or_, select

from bot.adapters.sql.columns import columns
from bot.adapters.sql.marked import give, hand_over
from bot.adapters.sql.members import DEMOTE, link_accounts, open_work, save_profiles
from bot.adapters.sql.tables import account, person, rule
from bot.domain.change import JoinPeople, LinkAccount, SaveProfile
from bot.domain.memory.passage import of_person
from bot.domain.talk.errors import Conflict
from bot.domain.talk.person import Person

_OF, _TO = bindparam("of"), bindparam("to")
_HOLD = (
    select(account.c.key, account.c.person)
    .where(or_(account.c.person == _OF, account.c.person == _TO))
    .order_by(account.c.key)
    .with_for_update()
)
_PEOPLE = select(*columns(person, Person)).where(or_(person.c.id == _OF, person.c.id == _TO))
_OTHER_RULE = rule.alias()
_SAME_RULE = (
    select(_OTHER_RULE.c.id)
    .where(
        _OTHER_RULE.c.person == _TO,
        *(
            _OTHER_RULE.c[name] == rule.c[name]
            for name in ("chat", "tool", "pattern", "surroundings", "under")
        ),
    )
    .exists()
)
_DOUBLES = delete(rule).where(rule.c.person == _OF, _SAME_RULE)


def join_people(connection: Connection, writes: Sequence[JoinPeople], at: datetime) -> None:
    for write in writes:
        _join(connection, write, at)


def _join(connection: Connection, write: JoinPeople, at: datetime) -> None:
    of = {"of": write.leaving, "to": write.staying}
    held = connection.execute(_HOLD, of).all()
    if len({number for _, number in held}) < len(of):
        raise Conflict(f"person {write.leaving} or {write.staying} has no account")
    # Whoever read one of these before can no longer save it, nor begin a turn with it.
    give(connection, write.leaving, write.staying, versioned=True)
    left = open_work(connection, write.leaving)
    if left.turns or left.cards or left.waiting:
        raise Conflict(f"something of person {write.leaving} is open")
    # Everything that is remembered, also what was imported or said elsewhere.
    hand_over(connection, of_person(write.leaving), of_person(write.staying))
    connection.execute(_DOUBLES, of)
    give(connection, write.leaving, write.staying, versioned=False)
    keys = [key for key, number in held if number == write.leaving]
    link_accounts(connection, [LinkAccount(key, write.staying) for key in keys], at)
    _keep_profile(connection, write, at)
    connection.execute(DEMOTE, {"of": write.leaving})


def _keep_profile(connection: Connection, write: JoinPeople, at: datetime) -> None:
    of = {"of": write.leaving, "to": write.staying}
    known = {row.id: Person(*row) for row in connection.execute(_PEOPLE, of)}
    left, stays = known[write.leaving], known[write.staying]
    kept = SaveProfile(stays.id, stays.about or left.about, stays.timezone or left.timezone)
    save_profiles(connection, [kept], at)
