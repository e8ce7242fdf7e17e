"""Raw updates."""

from collections.abc import Collection, Sequence
from datetime import datetime
from functools import partial

from sqlalchemy import (
    Boolean,
    Connection,
    bindparam,
    case,
    func,
    literal,
    not_,
    or_,
    select,
    update,
)

from bot.adapters.sql.columns import columns, values
from bot.adapters.sql.prepared import Prepared
from bot.adapters.sql.reads import Reads
from bot.adapters.sql.tables import HEARD, KNOWN, UNROUTED, WAITING, inbox, stream
from bot.adapters.sql.this_process import OfThisProcess, ThisProcess
from bot.adapters.sql.upsert import Upsert, overwrite
from bot.domain.change import AmendInbound, InboundState, MarkInbound, PassOver, ReleaseHeard
from bot.domain.talk.errors import Conflict
from bot.domain.talk.message import RawUpdate
from bot.ports.inbox import LATELY, InboundRow

_ACCEPT = Upsert(inbox, ["channel", "key"], returning=(inbox.c.id,))
_GO_ON = Upsert(stream, ["name"], overwrite("position", "at"))
_REACHED = select(stream.c.position).where(
    stream.c.name == bindparam("of"), stream.c.at >= bindparam("since")
)
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
_ELSEWHERE = Prepared(
    select(*_COLUMNS)
    .where(
        UNROUTED,
        inbox.c.owner.is_not(None),
        not_(OfThisProcess(inbox.c.owner)),
        inbox.c.received_at >= bindparam("since"),
    )
    .order_by(inbox.c.id)
)
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
_OF_CHAT = (
    select(*_COLUMNS)
    .where(
        inbox.c.id > bindparam("since"),
        inbox.c.id > select(func.max(inbox.c.id)).scalar_subquery() - LATELY,
        inbox.c.chat == bindparam("of"),
    )
    .order_by(inbox.c.id)
)
_LAST = select(func.coalesce(func.max(inbox.c.id), 0))
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
_KEPT = ("chat", "message_id", "turn", "person")
"""Columns that keep what they have where a mark names nothing."""

_MARK = Prepared(
    update(inbox)
    .where(inbox.c.id == bindparam("of"), inbox.c.state == bindparam("expect"))
    .values(
        state=bindparam("state"),
        owner=case((bindparam("anew", type_=Boolean), ThisProcess()), else_=inbox.c.owner),
        fragment=or_(inbox.c.fragment, bindparam("fragment", type_=inbox.c.fragment.type)),
        reason=bindparam("reason"),
        body=case(
            (bindparam("forget", type_=Boolean), literal("", inbox.c.body.type)), else_=inbox.c.body
        ),
        **{
            name: func.coalesce(bindparam(name, type_=inbox.c[name].type), inbox.c[name])
            for name in _KEPT
        },
    )
)
_AMEND = update(inbox).where(inbox.c.id == bindparam("of"), WAITING).values(body=bindparam("body"))
_MARKED = (*_KEPT, "state", "fragment", "reason", "forget")


class SqlInbox(Reads):
    """The port Inbox; accepts updates durably, and returns only after that."""

    async def accept(
        self, channel: str, updates: Sequence[RawUpdate], at: datetime
    ) -> Sequence[InboundRow]:
        work = partial(_accept, channel=channel, updates=updates, at=at)
        return await self._database.write(work, durable=True, repeatable=True)

    async def reached(self, stream: str, since: datetime) -> str:
        return await self._scalar(_REACHED, of=stream, since=since) or ""

    async def get(self, id: int) -> InboundRow | None:
        return await self._one(InboundRow, _GET, of=id)

    async def asked(self, chat: int, span: int) -> Sequence[InboundRow]:
        return await self._all(InboundRow, _ASKED, of=chat, span=span)

    async def unrouted(self, limit: int, besides: Collection[int] = ()) -> Sequence[InboundRow]:
        if not besides:
            return await self._all(InboundRow, _UNROUTED, most=limit)
        return await self._all(InboundRow, _OTHER_UNROUTED, most=limit, besides=list(besides))

    async def elsewhere(self, since: datetime) -> Sequence[InboundRow]:
        return await self._all(InboundRow, _ELSEWHERE, since=since)

    async def waiting(self, chat: int, limit: int | None = None) -> Sequence[InboundRow]:
        return await self._database.read(lambda c: waiting(c, chat, limit))

    async def message(self, chats: Collection[int], message_id: str) -> InboundRow | None:
        return await self._one(InboundRow, _MESSAGE, within=list(chats), number=message_id)

    async def last_taken(self, span: int) -> Sequence[InboundRow]:
        return await self._all(InboundRow, _LAST_TAKEN, span=span)

    async def newest(self, channel: str) -> datetime | None:
        return await self._scalar(_NEWEST, of=channel)

    async def last(self) -> int:
        """Returns the number of the newest update; 0 where there is none."""
        return (await self._database.fetch(_LAST))[0][0]

    async def since(self, chat: int, id: int) -> Sequence[InboundRow]:
        """Returns the routed updates of a chat after this one, among the newest of all chats."""
        wanted = {"of": chat, "since": id}
        return [InboundRow(*row) for row in await self._database.fetch(_OF_CHAT, wanted)]

    async def heard(self, chat: int, limit: int) -> Sequence[InboundRow]:
        return (await self._all(InboundRow, _HEARD, of=chat, most=limit))[::-1]


def _accept(
    connection: Connection, channel: str, updates: Sequence[RawUpdate], at: datetime
) -> list[InboundRow]:
    state, added = InboundState.NEW, list[InboundRow]()
    for one in updates:
        row = {"channel": channel, "key": one.key, "body": one.body, "state": state}
        for (id,) in _ACCEPT.rows(connection, {**row, "received_at": at, "reason": ""}):
            added.append(InboundRow(id, channel, one.key, one.body, state, at))
        if one.reached is not None:
            place = {"name": one.reached.stream, "position": one.reached.position, "at": at}
            _GO_ON.run(connection, place)
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
        row = {"of": write.id, **values(write, _MARKED), "anew": write.state is InboundState.NEW}
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
