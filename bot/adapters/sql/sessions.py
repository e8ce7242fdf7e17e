"""Sign-in codes and sessions of the page."""

import secrets
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial

from sqlalchemy import Connection, bindparam, delete, exists, insert, select, update

from bot.adapters.sql.columns import columns, names, values
from bot.adapters.sql.database import first_of
from bot.adapters.sql.members import check_access
from bot.adapters.sql.prepared import Prepared
from bot.adapters.sql.reads import Reads
from bot.adapters.sql.tables import account, person, session, sign_in
from bot.domain.change import CheckAccess
from bot.domain.talk.errors import Conflict
from bot.domain.talk.person import Person
from bot.domain.talk.session import LONGEST_CODE, MOST_TRIES, PAGE, Session, SignInCode

_OFFER = insert(sign_in)
_EXPIRED = delete(sign_in).where(sign_in.c.expires_at <= bindparam("now"))
_ENDED = delete(session).where(session.c.ends_at <= bindparam("now"))
_LIVE_CODE = (
    sign_in.c.id == bindparam("of"),
    sign_in.c.expires_at > bindparam("now"),
    # One that is good for longer is from a clock that has been set back since.
    sign_in.c.expires_at <= bindparam("farthest"),
    sign_in.c.tries < MOST_TRIES,
)
_TRIED = select(*columns(sign_in, SignInCode)).where(
    *_LIVE_CODE, sign_in.c.hash == bindparam("code")
)
_SPEND = delete(sign_in).where(sign_in.c.id == bindparam("of"), sign_in.c.hash == bindparam("code"))
_OFFERED = select(sign_in.c.id).where(sign_in.c.id == bindparam("of"))
_MISS = update(sign_in).where(sign_in.c.id == bindparam("of")).values(tries=sign_in.c.tries + 1)
_OPEN = insert(session)
_ALIVE = session.c.ends_at > bindparam("now")
_KNOWN = exists(select(account.c.key).where(account.c.person == session.c.person))
_AT = Prepared(
    select(*columns(session, Session), *columns(person, Person))
    .join_from(session, person, person.c.id == session.c.person)
    .where(session.c.hash == bindparam("of"), _ALIVE, _KNOWN)
)
_FIELDS = len(names(Session))
_RENEW = (
    update(session)
    .where(session.c.id == bindparam("of"))
    .values(seen_at=bindparam("seen"), ends_at=bindparam("ends"))
)
_OF = (
    select(*columns(session, Session))
    .where(session.c.person == bindparam("of"), _ALIVE)
    .order_by(session.c.opened_at.desc(), session.c.id)
)
_END_ALL = delete(session).where(session.c.person == bindparam("of"))
_END = _END_ALL.where(session.c.id == bindparam("named"))
_OWN_ACCOUNT = (
    select(account.c.key)
    .where(account.c.person == bindparam("of"), account.c.key.startswith(f"{PAGE}:"))
    .order_by(account.c.key)
    .limit(1)
)
_TAKEN = select(account.c.key).where(account.c.key == bindparam("of"))


class SqlSessions(Reads):
    async def offer(self, code: SignInCode, now: datetime) -> None:
        await self._database.write(partial(_offer, code=code, now=now), durable=True)

    async def tried(self, id: str, hash: str, now: datetime) -> SignInCode | None:
        if not await self._database.fetch(_OFFERED, {"of": id}):
            # Whoever guesses has nothing written.
            return None
        times = {"now": now, "farthest": now + LONGEST_CODE}
        found = await self._one(SignInCode, _TRIED, of=id, code=hash, **times)
        if found is None:
            await self._database.write(lambda c: c.execute(_MISS, {"of": id}), durable=True)
        return found

    async def open(self, session: Session, code: SignInCode | None = None) -> Session:
        work = partial(_open, opened=session, code=code)
        return await self._database.write(work, durable=True)

    async def at(self, hash: str, now: datetime) -> tuple[Session, Person] | None:
        row = first_of(await self._database.fetch(_AT, {"of": hash, "now": now}))
        return None if row is None else (Session(*row[:_FIELDS]), Person(*row[_FIELDS:]))

    async def renew(self, id: str, seen_at: datetime, ends_at: datetime) -> None:
        row = {"of": id, "seen": seen_at, "ends": ends_at}
        await self._database.write(lambda c: c.execute(_RENEW, row), repeatable=True)

    async def of(self, person: int, now: datetime) -> Sequence[Session]:
        return await self._all(Session, _OF, of=person, now=now)

    async def end(self, person: int, id: str | None = None) -> int:
        row = {"of": person} if id is None else {"of": person, "named": id}
        ending = _END_ALL if id is None else _END
        return await self._database.write(
            lambda c: c.execute(ending, row).rowcount, durable=True, repeatable=True
        )


def _offer(connection: Connection, code: SignInCode, now: datetime) -> None:
    connection.execute(_EXPIRED, {"now": now})
    connection.execute(_OFFER, values(code, names(SignInCode)))


def _open(connection: Connection, opened: Session, code: SignInCode | None) -> Session:
    """Opens a session; deleting its code is the compare-and-set, so only one browser succeeds."""
    connection.execute(_ENDED, {"now": opened.opened_at})
    if code is not None:
        spent = connection.execute(_SPEND, {"of": code.id, "code": code.hash}).rowcount
        if spent == 0:
            raise Conflict(f"code {code.id} was spent before")
    check_access(connection, [CheckAccess(opened.person)], opened.opened_at)
    key = connection.execute(_OWN_ACCOUNT, {"of": opened.person}).scalar()
    if key is None:
        key = f"{PAGE}:{opened.person}"
        if connection.execute(_TAKEN, {"of": key}).first() is not None:
            key = f"{PAGE}:{10**12 + secrets.randbelow(10**12)}"
        connection.execute(insert(account), {"key": key, "person": opened.person})
    whole = replace(opened, account=key)
    connection.execute(_OPEN, values(whole, names(Session)))
    return whole
