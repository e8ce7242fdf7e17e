"""Raw updates."""

from collections.abc import Collection, Sequence
from datetime import datetime
from functools import partial
from typing import Any

from sqlalchemy import (
    Boolean,
    Connection,
    Executable,
    bindparam,
    case,
    func,
    literal,
    or_,
    select,
    update,
)

from bot.adapters.sql.columns import columns
from bot.adapters.sql.database import Database, first_of
from bot.adapters.sql.prepared import Prepared
from bot.adapters.sql.tables import HEARD, KNOWN, UNROUTED, WAITING, inbox
from bot.adapters.sql.this_process import OfThisProcess, ThisProcess
from bot.adapters.sql.upsert import Upsert
from bot.domain.change import AmendInbound, InboundState, MarkInbound, PassOver, ReleaseHeard
from bot.domain.talk.errors import Conflict
from bot.domain.talk.message import RawUpdate
from bot.ports.inbox import InboundRow

_ACCEPT = Upsert(inbox, ["channel", "key"], returning=(inbox.c.id,))
_COLUMNS = columns(inbox, InboundRow)
_GET = select(*_COLUMNS).where(inbox.c.id == bindparam("of"))
_ASKED = (
    select(*_COLUMNS)
    .where(
        inbox.c.id > select(func.max(inbox.c.id)).scalar_subquery() - bindparam("span"),
        inbox.c.chat == bindparam("of"),
        inbox.c.state == InboundState.ASKED,
    )
    .order_by(inbox.c.id)
)
_NEW = (
    select(*_COLUMNS)
    .where(UNROUTED, OfThisProcess(inbox.c.owner))
    .order_by(inbox.c.id)
    .limit(bindparam("most"))
)
_UNROUTED = Prepared(_NEW)
_OTHER_UNROUTED = _NEW.where(inbox.c.id.not_in(bindparam("besides", expanding=True)))
_WAITING = select(*_COLUMNS).where(inbox.c.chat == bindparam("of"), WAITING).order_by(inbox.c.id)
_OLDEST_WAITING = Prepared(_WAITING.limit(bindparam("most")))
_MESSAGE = select(*_COLUMNS).where(
    inbox.c.chat.in_(bindparam("within", expanding=True)),
    inbox.c.message_id == bindparam("number"),
    WAITING,
)
_FIRST_NEW = func.coalesce(
    select(func.min(inbox.c.id)).where(UNROUTED).scalar_subquery(),
    select(func.max(inbox.c.id) + 1).scalar_subquery(),
)
_LAST_TAKEN = (
    select(*_COLUMNS)
    .where(inbox.c.id >= _FIRST_NEW - bindparam("span"), KNOWN)
    .order_by(inbox.c.id)
)
_HEARD = (
    select(*_COLUMNS)
    .where(inbox.c.chat == bindparam("of"), HEARD)
    .order_by(inbox.c.id.desc())
    .limit(bindparam("most"))
)
_NEWEST = (
    select(inbox.c.received_at)
    .where(inbox.c.channel == bindparam("of"))
    .order_by(inbox.c.id.desc())
    .limit(1)
)
_PASS_OVER = (
    update(inbox)
    .where(inbox.c.id.in_(bindparam("named", expanding=True)), UNROUTED)
    .values(state=InboundState.DONE, body="", reason=bindparam("why"))
)
_RELEASE = (
    update(inbox)
    .where(inbox.c.chat == bindparam("of"), HEARD, inbox.c.id <= bindparam("last"))
    .values(state=InboundState.DONE, body="")
)
_MARK = Prepared(
    update(inbox)
    .where(inbox.c.id == bindparam("of"), inbox.c.state == bindparam("expect"))
    .values(
        state=bindparam("state"),
        chat=func.coalesce(bindparam("chat", type_=inbox.c.chat.type), inbox.c.chat),
        message_id=func.coalesce(
            bindparam("message_id", type_=inbox.c.message_id.type), inbox.c.message_id
        ),
        turn=func.coalesce(bindparam("turn", type_=inbox.c.turn.type), inbox.c.turn),
        person=func.coalesce(bindparam("person", type_=inbox.c.person.type), inbox.c.person),
        owner=case((bindparam("anew", type_=Boolean), ThisProcess()), else_=inbox.c.owner),
        fragment=or_(inbox.c.fragment, bindparam("fragment", type_=inbox.c.fragment.type)),
        reason=bindparam("reason"),
        body=case(
            (bindparam("forget", type_=Boolean), literal("", inbox.c.body.type)), else_=inbox.c.body
        ),
    )
)
_AMEND = update(inbox).where(inbox.c.id == bindparam("of"), WAITING).values(body=bindparam("body"))


class SqlInbox:
    """The port Inbox; accepts updates durably, and returns only after that."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def accept(
        self, channel: str, updates: Sequence[RawUpdate], at: datetime
    ) -> Sequence[InboundRow]:
        work = partial(_accept, channel=channel, updates=updates, at=at)
        return await self._database.write(work, durable=True, repeatable=True)

    async def get(self, id: int) -> InboundRow | None:
        row = first_of(await self._database.fetch(_GET, {"of": id}))
        return InboundRow(*row) if row is not None else None

    async def asked(self, chat: int, span: int) -> Sequence[InboundRow]:
        wanted = {"of": chat, "span": span}
        return [InboundRow(*row) for row in await self._database.fetch(_ASKED, wanted)]

    async def unrouted(self, limit: int, besides: Collection[int] = ()) -> Sequence[InboundRow]:
        wanted: dict[str, Any] = {"most": limit}
        statement: Prepared | Executable = _UNROUTED
        if besides:
            statement = _OTHER_UNROUTED
            wanted["besides"] = list(besides)
        return [InboundRow(*row) for row in await self._database.fetch(statement, wanted)]

    async def waiting(self, chat: int, limit: int | None = None) -> Sequence[InboundRow]:
        return await self._database.read(lambda c: waiting(c, chat, limit))

    async def message(self, chats: Collection[int], message_id: str) -> InboundRow | None:
        wanted = {"within": list(chats), "number": message_id}
        row = first_of(await self._database.fetch(_MESSAGE, wanted))
        return InboundRow(*row) if row is not None else None

    async def last_taken(self, span: int) -> Sequence[InboundRow]:
        return [InboundRow(*row) for row in await self._database.fetch(_LAST_TAKEN, {"span": span})]

    async def newest(self, channel: str) -> datetime | None:
        wanted = {"of": channel}
        return await self._database.read(lambda c: c.execute(_NEWEST, wanted).scalar())

    async def heard(self, chat: int, limit: int) -> Sequence[InboundRow]:
        wanted = {"of": chat, "most": limit}
        newest = [InboundRow(*row) for row in await self._database.fetch(_HEARD, wanted)]
        return newest[::-1]


def _accept(
    connection: Connection, channel: str, updates: Sequence[RawUpdate], at: datetime
) -> list[InboundRow]:
    state, added = InboundState.NEW, list[InboundRow]()
    for one in updates:
        row = {"channel": channel, "key": one.key, "body": one.body, "state": state}
        for (id,) in _ACCEPT.rows(connection, {**row, "received_at": at, "reason": ""}):
            added.append(InboundRow(id, channel, one.key, one.body, state, at))
    return added


def waiting(connection: Connection, chat: int, most: int | None) -> list[InboundRow]:
    found = (
        connection.execute(_WAITING, {"of": chat}).all()
        if most is None
        else _OLDEST_WAITING.rows(connection, {"of": chat, "most": most})
    )
    return [InboundRow(*row) for row in found]


def mark_inbound(connection: Connection, writes: Sequence[MarkInbound], _at: datetime) -> None:
    for write in writes:
        row = {
            "of": write.id,
            "state": write.state,
            "chat": write.chat,
            "message_id": write.message_id,
            "turn": write.turn,
            "person": write.person,
            "fragment": write.fragment,
            "reason": write.reason,
            "forget": write.forget,
            "anew": write.state is InboundState.NEW,
        }
        if not any(_MARK.run(connection, {**row, "expect": state}) for state in write.expect):
            raise Conflict(f"update {write.id} is not in a state that was expected")


def pass_over(connection: Connection, writes: Sequence[PassOver], _at: datetime) -> None:
    for write in writes:
        connection.execute(_PASS_OVER, {"named": write.ids, "why": write.reason})


def release_heard(connection: Connection, writes: Sequence[ReleaseHeard], _at: datetime) -> None:
    for write in writes:
        connection.execute(_RELEASE, {"of": write.chat, "last": write.up_to})


def amend_inbound(connection: Connection, writes: Sequence[AmendInbound], _at: datetime) -> None:
    for write in writes:
        if connection.execute(_AMEND, {"of": write.id, "body": write.body}).rowcount == 0:
            raise Conflict(f"update {write.id} does not wait any more")
