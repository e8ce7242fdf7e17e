"""Rows in a person's name, and the owners' settings about people."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from sqlalchemy import (
    Connection,
    Text,
    bindparam,
    cast,
    delete,
    exists,
    literal,
    or_,
    select,
    type_coerce,
    update,
)

from bot.adapters.sql.columns import columns
from bot.adapters.sql.leaving import leaving_of
from bot.adapters.sql.prepared import Prepared
from bot.adapters.sql.reads import Reads
from bot.adapters.sql.tables import (
    COUNTED,
    FOR_OWNERS,
    OPEN,
    UNSETTLED,
    WAITING,
    account,
    approval,
    chat,
    inbox,
    note,
    passage,
    person,
    rule,
    session,
    sign_in,
    task,
    turn,
)
from bot.adapters.sql.upsert import Upsert, overwrite
from bot.domain.assignments.task import TaskState
from bot.domain.change import CheckAccess, InboundState, LinkAccount, Revoke, SaveProfile, SaveTerms
from bot.domain.consent.approval import Approval
from bot.domain.memory.passage import of_group
from bot.domain.talk.errors import Conflict
from bot.domain.talk.person import AT_THE_MACHINE, Person, Role
from bot.domain.talk.rights import NOTHING
from bot.domain.turn.turn import ACCESS_ENDED, Turn
from bot.ports.members import OpenWork, Waiting

_TURNS = (
    select(*columns(turn, Turn))
    .where(turn.c.asker == bindparam("of"), UNSETTLED)
    .order_by(turn.c.created_at, turn.c.id)
)
_CARDS = (
    select(*columns(approval, Approval))
    .where(approval.c.asker == bindparam("of"), OPEN)
    .order_by(approval.c.created_at, approval.c.position, approval.c.id)
)
_FOR_OWNERS = (
    select(*columns(approval, Approval))
    .where(FOR_OWNERS)
    .order_by(approval.c.created_at, approval.c.position, approval.c.id)
)
_PLACE = type_coerce(chat.c.address, Text)
_IN_THREAD = _PLACE.startswith(account.c.key + "/")
_WITH_OWNERS = (
    select(account.c.key, chat.c.id, chat.c.address)
    .join(person, person.c.id == account.c.person)
    .join(chat, or_(account.c.key == _PLACE, _IN_THREAD))
    .where(person.c.role == Role.OWNER, chat.c.private)
    .order_by(person.c.id, account.c.key, chat.c.id)
)
_WAITING = (
    select(chat.c.address, inbox.c.message_id, inbox.c.received_at)
    .join(chat, chat.c.id == inbox.c.chat)
    .where(inbox.c.person == bindparam("of"), WAITING)
    .order_by(inbox.c.id)
)
_ASKED = tuple(
    select(column.table.c.id).where(column == bindparam("of")).limit(1)
    for column in (turn.c.asker, inbox.c.person, task.c.asker)
)
"""Handled messages are removed some day, so a task may be all that is left of them."""

_LAST_ASKED = (
    select(inbox.c.received_at)
    .where(inbox.c.person == person.c.id, COUNTED)
    .order_by(inbox.c.received_at.desc())
    .limit(1)
    .scalar_subquery()
)
_SEEN = select(person.c.id, _LAST_ASKED.label("at"))
"""Looks at the last message of each person, not at all that they ever wrote."""
_NTH_NEWEST = (
    select(inbox.c.received_at)
    .where(inbox.c.person == bindparam("of"), COUNTED, inbox.c.received_at <= bindparam("until"))
    .order_by(inbox.c.received_at.desc())
    .limit(1)
    .offset(bindparam("newer"))
)
_RIGHTS = select(person.c.rights).where(person.c.id == bindparam("of")).with_for_update()
_TERMS = (
    update(person)
    .where(person.c.id == bindparam("of"))
    .values(rights=bindparam("rights"), pace=bindparam("pace"))
)
_PROFILE = (
    update(person)
    .where(person.c.id == bindparam("of"))
    .values(about=bindparam("words"), timezone=bindparam("zone"))
)
_LINK = Upsert(account, ["key"], overwrite("person"))
_AT_HOME = select(chat.c.id).where(
    chat.c.private, or_(bindparam("place") == _PLACE, _PLACE.startswith(bindparam("threads")))
)
_HAND_OVER = (
    update(passage)
    .where(passage.c.chat.in_(_AT_HOME), passage.c.whose != bindparam("after"))
    .values(whose=bindparam("after"), indexed=False, meant=False)
)
_LEAVE = leaving_of(passage.c.chat.in_(_AT_HOME), passage.c.whose != bindparam("after"))
_HAND_OVER_NOTES = (
    update(note)
    .where(
        select(passage.c.id)
        .where(passage.c.id == "note:" + note.c.id, passage.c.chat.in_(_AT_HOME))
        .exists()
    )
    .values(whose=bindparam("after"))
)
_KEPT_ACCESS = Prepared(
    select(account.c.key)
    .where(account.c.person == bindparam("of"))
    .limit(1)
    .with_for_update(read=True)
)
_SENDERS = Prepared(
    select(
        *columns(person, Person),
        exists().where(
            or_(
                note.c.whose == literal("p").concat(cast(person.c.id, Text)),
                note.c.whose == bindparam("group"),
            )
        ),
    ).where(
        person.c.id.in_(select(inbox.c.person).where(inbox.c.chat == bindparam("of"), WAITING)),
        exists().where(account.c.person == person.c.id),
    )
)
_STOP = update(turn).where(turn.c.asker == bindparam("of"), UNSETTLED)
_DROP = update(inbox).where(inbox.c.person == bindparam("of"), WAITING)
_HELD = select(account.c.key).where(account.c.person == bindparam("of")).with_for_update()
"""Whoever gives a person one more account meanwhile has to be over, or finds none to begin with."""

_ACCOUNTS = delete(account).where(account.c.person == bindparam("of"))
_SESSIONS = delete(session).where(session.c.person == bindparam("of"))
_CODES = delete(sign_in).where(sign_in.c.person == bindparam("of"))
_RULES = delete(rule).where(rule.c.person == bindparam("of"))
_PAUSE = (
    update(task)
    .where(task.c.asker == bindparam("of"), task.c.state == TaskState.ACTIVE)
    .values(state=TaskState.PAUSED, why=ACCESS_ENDED, version=task.c.version + 1)
)
DEMOTE = (
    update(person)
    .where(person.c.id == bindparam("of"))
    .values(role=Role.MEMBER, rights=NOTHING, pace=None, about="", timezone=None)
)


class SqlMembers(Reads):
    async def open_work(self, person: int) -> OpenWork:
        return await self._database.read(lambda c: open_work(c, person))

    async def seen(self) -> Mapping[int, datetime]:
        return await self._database.read(
            lambda c: {of: at for of, at in c.execute(_SEEN) if at is not None}
        )

    async def owner_chats(self) -> Sequence[int]:
        return await self._database.read(owner_chats)

    async def for_owners(self) -> Sequence[Approval]:
        return await self._all(Approval, _FOR_OWNERS)

    async def nth_newest(self, person: int, nth: int, until: datetime) -> datetime | None:
        return await self._scalar(_NTH_NEWEST, of=person, newer=nth - 1, until=until)


def save_terms(connection: Connection, writes: Sequence[SaveTerms], _at: datetime) -> None:
    for write in writes:
        if write.expect is not None:
            now = connection.execute(_RIGHTS, {"of": write.person}).scalar_one_or_none()
            if now != write.expect:
                raise Conflict(f"person {write.person} has other rights now")
    rows = [{"of": w.person, "rights": w.rights, "pace": w.pace} for w in writes]
    connection.execute(_TERMS, rows)


def save_profiles(connection: Connection, writes: Sequence[SaveProfile], _at: datetime) -> None:
    rows = [{"of": w.person, "words": w.about, "zone": w.timezone} for w in writes]
    connection.execute(_PROFILE, rows)


def link_accounts(connection: Connection, writes: Sequence[LinkAccount], _at: datetime) -> None:
    """Gives accounts to people; what was said at an account is remembered for its person."""
    _LINK.run(connection, *({"key": w.account, "person": w.person} for w in writes))
    for write in writes:
        home = {"place": write.account, "threads": f"{write.account}/"}
        connection.execute(_HAND_OVER_NOTES, {**home, "after": f"p{write.person}"})
        connection.execute(_LEAVE, {**home, "after": f"p{write.person}"})
        connection.execute(_HAND_OVER, {**home, "after": f"p{write.person}"})


def check_access(connection: Connection, writes: Sequence[CheckAccess], _at: datetime) -> None:
    for write in writes:
        if _KEPT_ACCESS.first(connection, {"of": write.person}) is None:
            raise Conflict(f"person {write.person} has no account any more")


def revoke(connection: Connection, writes: Sequence[Revoke], _at: datetime) -> None:
    """Revokes all access; the person's row stays for the record, without an account."""
    for write in writes:
        of = {"of": write.person}
        connection.execute(_STOP.values(stop_asked=write.how), of)
        connection.execute(_DROP.values(state=InboundState.DROPPED, reason=write.how), of)
        for statement in (_HELD, _RULES, _PAUSE, _ACCOUNTS, _SESSIONS, _CODES, DEMOTE):
            connection.execute(statement, of)


def senders(connection: Connection, chat: int) -> list[tuple[Person, bool]]:
    """Returns who wrote the waiting messages of a chat, each with True if notes hold for them."""
    found = _SENDERS.rows(connection, {"of": chat, "group": of_group(chat)})
    return [(Person(*fields), noted) for *fields, noted in found]


def open_work(connection: Connection, person: int) -> OpenWork:
    """Returns the open work of a person in all chats."""
    of = {"of": person}
    return OpenWork(
        turns=tuple(Turn(*row) for row in connection.execute(_TURNS, of)),
        cards=tuple(Approval(*row) for row in connection.execute(_CARDS, of)),
        waiting=tuple(Waiting(*row) for row in connection.execute(_WAITING, of)),
        asked=any(connection.execute(one, of).first() is not None for one in _ASKED),
    )


def owner_chats(connection: Connection) -> list[int]:
    """Returns one chat for each account: the one without a thread, or else the newest."""
    found: dict[str, tuple[bool, int]] = {}
    for key, id, address in connection.execute(_WITH_OWNERS):
        # In the pattern for threads an underscore matches any letter.
        theirs = f"{address.channel}:{address.chat}" == key
        if theirs and address.channel != AT_THE_MACHINE:
            found[key] = max(found.get(key, (False, 0)), (address.thread is None, id))
    return [id for _, id in found.values()]
