"""People who may talk to the bot, and their way in."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import date, datetime
from functools import partial

from sqlalchemy import Connection, bindparam, case, delete, exists, func, insert, select, update

from bot.adapters.sql.chats import CHAT_COLUMNS, chat_of
from bot.adapters.sql.columns import columns, names
from bot.adapters.sql.database import first_of
from bot.adapters.sql.prepared import Prepared
from bot.adapters.sql.reads import Reads
from bot.adapters.sql.tables import account, chat, greeting, pairing, person
from bot.adapters.sql.upsert import Upsert, overwrite
from bot.domain.talk.chat import Chat
from bot.domain.talk.errors import Conflict
from bot.domain.talk.message import Address
from bot.domain.talk.person import AT_THE_MACHINE, ON_NO_PLATFORM, Person, Role, Sender
from bot.domain.talk.rights import EVERYTHING, NEWCOMER

_PEOPLE = select(*columns(person, Person))
_BY_ID = Prepared(_PEOPLE.where(person.c.id == bindparam("of")))
_WITH_ACCOUNT = account.join(person, account.c.person == person.c.id)
_BY_ACCOUNT = Prepared(_PEOPLE.select_from(_WITH_ACCOUNT).where(account.c.key == bindparam("of")))
_PERSON = len(names(Person))
_MET = Prepared(
    select(*columns(person, Person), *CHAT_COLUMNS)
    .select_from(_WITH_ACCOUNT)
    .outerjoin(chat, chat.c.address == bindparam("at"))
    .where(account.c.key == bindparam("of"))
)
_ACCOUNTS = (
    select(account.c.key, *columns(person, Person))
    .select_from(_WITH_ACCOUNT)
    .order_by(case((person.c.role == Role.OWNER, 0), else_=1), person.c.id, account.c.key)
)
_ADD = insert(person).returning(person.c.id)
_RAISE = update(person).where(person.c.id == bindparam("of")).values(role=Role.OWNER)
_NAME = update(person).where(person.c.id == bindparam("of")).values(name=bindparam("name"))
_OFFER = Upsert(pairing, ["id"], overwrite("code_hash", "expires_at"))
_REDEEM = delete(pairing).where(
    pairing.c.code_hash == bindparam("code"),
    pairing.c.expires_at > bindparam("at"),
    ~exists(
        select(account.c.key)
        .select_from(_WITH_ACCOUNT)
        .where(
            person.c.role == Role.OWNER,
            *(account.c.key.not_like(f"{name}:%") for name in ON_NO_PLATFORM),
        )
    ),
)
_LOCAL_OWNER = (
    select(person)
    .select_from(_WITH_ACCOUNT)
    .where(person.c.role == Role.OWNER, account.c.key.like(f"{AT_THE_MACHINE}:%"))
    .order_by(person.c.id)
    .limit(1)
)
_GREET = Upsert(
    greeting,
    ["account"],
    overwrite("day"),
    where=lambda insert: greeting.c.day < insert.excluded.day,
)
_FORGET_GREETED = delete(greeting).where(greeting.c.day < bindparam("before"))
_GREETED = select(func.count()).select_from(greeting).where(greeting.c.day == bindparam("on"))


class SqlPeople(Reads):
    async def by_sender(self, sender: Sender) -> Person | None:
        return await self._named(await self._one(Person, _BY_ACCOUNT, of=sender.key), sender)

    async def met(self, sender: Sender, address: Address) -> tuple[Person | None, Chat | None]:
        row = first_of(await self._database.fetch(_MET, {"of": sender.key, "at": address}))
        if row is None:
            return None, None
        here = None if row[_PERSON] is None else chat_of(row[_PERSON:])
        return await self._named(Person(*row[:_PERSON]), sender), here

    async def _named(self, known: Person | None, sender: Sender) -> Person | None:
        if known is None or known.name != sender.key or not sender.name:
            return known
        row = {"of": known.id, "name": sender.name}
        await self._database.write(lambda c: c.execute(_NAME, row), repeatable=True)
        return replace(known, name=sender.name)

    async def get(self, person: int) -> Person | None:
        return await self._one(Person, _BY_ID, of=person)

    async def admit(self, sender: Sender, role: Role) -> Person:
        known = await self.by_sender(sender)
        if known is not None and role in (known.role, Role.MEMBER):
            return known
        work = partial(_admit, sender=sender, role=role)
        try:
            return await self._database.write(work, durable=True, repeatable=True)
        except Conflict:  # another transaction admitted this account: now it is there
            return await self._database.write(work, durable=True, repeatable=True)

    async def accounts(self) -> Sequence[tuple[str, Person]]:
        return await self._database.read(
            lambda c: [(key, Person(*fields)) for key, *fields in c.execute(_ACCOUNTS)]
        )


class SqlDoor(Reads):
    async def offer(self, code_hash: str, expires_at: datetime) -> None:
        row = {"id": 1, "code_hash": code_hash, "expires_at": expires_at}
        await self._database.write(lambda c: _OFFER.run(c, row), durable=True, repeatable=True)

    async def redeem(self, code_hash: str, sender: Sender, at: datetime) -> Person | None:
        work = partial(_redeem, code_hash=code_hash, sender=sender, at=at)
        return await self._database.write(work, durable=True)

    async def greet(self, account: str, day: date, most: int) -> bool:
        return await self._database.write(lambda c: _greet(c, account, day, most))

    async def ignore(self, account: str) -> None:
        # The last day there is: none comes after it.
        row = {"account": account, "day": date.max}
        await self._database.write(lambda c: _GREET.run(c, row), durable=True, repeatable=True)


def _greet(connection: Connection, account: str, day: date, most: int) -> bool:
    row = {"account": account, "day": day}
    connection.execute(_FORGET_GREETED, {"before": day})
    if connection.execute(_GREETED, {"on": day}).scalar_one() >= most:
        return False
    return _GREET.run(connection, row) == 1


def _of_account(connection: Connection, key: str) -> Person | None:
    row = _BY_ACCOUNT.first(connection, {"of": key})
    return None if row is None else Person(*row)


def _admit(connection: Connection, sender: Sender, role: Role) -> Person:
    known = _of_account(connection, sender.key)
    if known is None:
        rights = EVERYTHING if role is Role.OWNER else NEWCOMER
        number = connection.execute(
            _ADD, {"name": sender.name, "role": role, "rights": rights}
        ).scalar_one()
        connection.execute(insert(account), {"key": sender.key, "person": number})
        return Person(number, sender.name, role, rights)
    if role is Role.MEMBER or known.is_owner:
        return known
    connection.execute(_RAISE, {"of": known.id})
    return replace(known, role=role)


def _redeem(connection: Connection, code_hash: str, sender: Sender, at: datetime) -> Person | None:
    """Redeems a code; deleting it is the compare-and-set, so only one person succeeds."""
    if connection.execute(_REDEEM, {"code": code_hash, "at": at}).rowcount == 0:
        return None
    local = connection.execute(_LOCAL_OWNER).first()
    if local is None or _of_account(connection, sender.key) is not None:
        return _admit(connection, sender, Role.OWNER)
    connection.execute(insert(account), {"key": sender.key, "person": local[0]})
    return Person(*local)
