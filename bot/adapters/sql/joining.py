"""Gives everything of one person to another one, when both are the same."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import Connection, bindparam, case, delete, or_, select, update

from bot.adapters.sql.columns import columns
from bot.adapters.sql.leaving import leaving_of
from bot.adapters.sql.members import DEMOTE, link_accounts, open_work, save_profiles
from bot.adapters.sql.tables import (
    account,
    approval,
    errand,
    feedback,
    file_change,
    goal,
    inbox,
    note,
    passage,
    person,
    plan,
    rule,
    task,
    turn,
    usage,
)
from bot.domain.change import JoinPeople, LinkAccount, SaveProfile
from bot.domain.memory.passage import of_person
from bot.domain.talk.errors import Conflict
from bot.domain.talk.person import Person

_OF, _TO = bindparam("of"), bindparam("to")
_OWNER, _HEIR = bindparam("owner"), bindparam("heir")
_HOLD = (
    select(account.c.key, account.c.person)
    .where(or_(account.c.person == _OF, account.c.person == _TO))
    .order_by(account.c.key)
    .with_for_update()
)
_PEOPLE = select(*columns(person, Person)).where(or_(person.c.id == _OF, person.c.id == _TO))
_ASKED = tuple(
    update(table).where(table.c.asker == _OF).values(asker=_TO, version=table.c.version + 1)
    for table in (task, goal, errand, file_change)
)
_PLANNED = (
    update(plan)
    .where(or_(plan.c.asker == _OF, plan.c.collector == _OF))
    .values(
        asker=case((plan.c.asker == _OF, _TO), else_=plan.c.asker),
        collector=case((plan.c.collector == _OF, _TO), else_=plan.c.collector),
        version=plan.c.version + 1,
    )
)
_OTHER_RULE, _OTHER_OPINION = rule.alias(), feedback.alias()
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
_SAME_ANSWER = (
    select(_OTHER_OPINION.c.turn)
    .where(_OTHER_OPINION.c.person == _TO, _OTHER_OPINION.c.turn == feedback.c.turn)
    .exists()
)
_DOUBLES = (
    delete(rule).where(rule.c.person == _OF, _SAME_RULE),
    delete(feedback).where(feedback.c.person == _OF, _SAME_ANSWER),
)
_DECIDED = (
    update(approval)
    .where(or_(approval.c.asker == _OF, approval.c.decided_by == _OF))
    .values(
        asker=case((approval.c.asker == _OF, _TO), else_=approval.c.asker),
        decided_by=case((approval.c.decided_by == _OF, _TO), else_=approval.c.decided_by),
    )
)
_REST = (
    update(turn).where(turn.c.asker == _OF).values(asker=_TO),
    *(
        update(table).where(table.c.person == _OF).values(person=_TO)
        for table in (rule, feedback, usage, inbox, passage, note)
    ),
)
_LEAVE = leaving_of(passage.c.whose == _OWNER)
_WRITER = case((passage.c.person == _OF, _TO), else_=passage.c.person)
_REMEMBERED = (
    update(passage)
    .where(passage.c.whose == _OWNER)
    .values(whose=_HEIR, person=_WRITER, indexed=False, meant=False)
)
_NOTED = update(note).where(note.c.whose == _OWNER).values(whose=_HEIR)


def join_people(connection: Connection, writes: Sequence[JoinPeople], at: datetime) -> None:
    for write in writes:
        _join(connection, write, at)


def _join(connection: Connection, write: JoinPeople, at: datetime) -> None:
    of = {"of": write.leaving, "to": write.staying}
    held = connection.execute(_HOLD, of).all()
    if len({number for _, number in held}) < len(of):
        raise Conflict(f"person {write.leaving} or {write.staying} has no account")
    # Whoever read one of these before can no longer save it, nor begin a turn with it.
    for statement in (*_ASKED, _PLANNED):
        connection.execute(statement, of)
    left = open_work(connection, write.leaving)
    if left.turns or left.cards or left.waiting:
        raise Conflict(f"something of person {write.leaving} is open")
    _hand_over(connection, write)
    for statement in (*_DOUBLES, _DECIDED, *_REST):
        connection.execute(statement, of)
    keys = [key for key, number in held if number == write.leaving]
    link_accounts(connection, [LinkAccount(key, write.staying) for key in keys], at)
    _keep_profile(connection, write, at)
    connection.execute(DEMOTE, {"of": write.leaving})


def _hand_over(connection: Connection, write: JoinPeople) -> None:
    """Hands over everything that is remembered, also what was imported or said elsewhere."""
    owners = {"owner": of_person(write.leaving), "heir": of_person(write.staying)}
    connection.execute(_NOTED, owners)
    connection.execute(_LEAVE, {"owner": owners["owner"]})
    connection.execute(_REMEMBERED, {**owners, "of": write.leaving, "to": write.staying})


def _keep_profile(connection: Connection, write: JoinPeople, at: datetime) -> None:
    of = {"of": write.leaving, "to": write.staying}
    known = {row.id: Person(*row) for row in connection.execute(_PEOPLE, of)}
    left, stays = known[write.leaving], known[write.staying]
    kept = SaveProfile(stays.id, stays.about or left.about, stays.timezone or left.timezone)
    save_profiles(connection, [kept], at)
