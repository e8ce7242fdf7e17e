"""Messages that are owed to people."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import Any, TypeAlias

from sqlalchemy import (
    ColumnElement,
    Connection,
    Select,
    bindparam,
    case,
    delete,
    func,
    select,
    update,
)

from bot.adapters.sql.columns import UtcTime, names, values
from bot.adapters.sql.database import Database
from bot.adapters.sql.prepared import Prepared
from bot.adapters.sql.reads import Reads
from bot.adapters.sql.tables import COPIES, OWED, chat, inbox, outbox, sending, sight
from bot.adapters.sql.this_process import OfThisProcess
from bot.adapters.sql.upsert import ConflictInsert, Upsert, overwrite
from bot.adapters.sql.written import Written
from bot.domain.change import Retract, Show
from bot.domain.talk.message import Outbound, OutboundKind
from bot.ports.outbox import MOST_OWED, Delivered, DeliveryState, OutboxRow
from bot.ports.sightings import Sighting

_ELSEWHERE = {"address": chat.c.address, "ours": OfThisProcess(outbox.c.maker)}
ROWS = select(
    *(_ELSEWHERE[name] if name in _ELSEWHERE else outbox.c[name] for name in names(OutboxRow))
).join_from(outbox, chat, outbox.c.chat == chat.c.id)
_OWED_IN = Prepared(
    ROWS.where(outbox.c.chat == bindparam("of"), OWED, outbox.c.id > bindparam("after"))
    .order_by(outbox.c.id)
    .limit(MOST_OWED)
)
_BY_KEY = ROWS.where(outbox.c.key == bindparam("of"))
_MOST_PRESSABLE = 500
_PRESSABLE = (
    ROWS.where(
        func.substr(outbox.c.key, 1, func.length(bindparam("of"))) == bindparam("of"),
        outbox.c.state != DeliveryState.DEAD,
    )
    .order_by(outbox.c.id.desc())
    .limit(_MOST_PRESSABLE)
)
_LIVE = ROWS.where(outbox.c.chat == bindparam("of"), outbox.c.state != DeliveryState.DEAD).order_by(
    outbox.c.id.desc()
)
_NEWEST = _LIVE.limit(1)
_NEWEST_FEW = _LIVE.limit(60)
_CHATS_OWED = select(outbox.c.chat).where(OWED).distinct().order_by(outbox.c.chat)
_KEY_OF = (
    select(outbox.c.key)
    .join_from(sight, outbox, sight.c.outbox == outbox.c.id)
    .where(sight.c.chat == bindparam("of"), sight.c.message_id == bindparam("seen"))
)
_Told: TypeAlias = Select[Any, Any, Any]
_LATELY, _AT_MOST = 500, 5_000
_SINCE = bindparam("since", type_=UtcTime)


def _lately(
    told: _Told, id: ColumnElement[int], at: ColumnElement[datetime]
) -> tuple[_Told, _Told]:
    """Returns statements for the rows since a time, and for the newest ones from before it.

    Without one from before, nobody knows where a search begins.
    """
    newest_first = told.order_by(id.desc())
    whole = id > select(func.max(id)).scalar_subquery() - _AT_MOST
    return newest_first.where(whole, at > _SINCE), newest_first.where(at <= _SINCE).limit(_LATELY)


_RECORDED = func.coalesce(outbox.c.recorded_at, outbox.c.created_at)
_SEEN_OF_US = select(chat.c.address, outbox.c.message_ids, _RECORDED).join_from(
    outbox, chat, outbox.c.chat == chat.c.id
)
_OWN_SIGHTINGS = _lately(_SEEN_OF_US, outbox.c.id, _RECORDED)
_OWED_SIGHTINGS = _SEEN_OF_US.where(OWED, outbox.c.message_ids != ())
"""A message that is still to be changed or taken away may be an old one."""

_SIGHTINGS = _lately(
    select(chat.c.address, inbox.c.message_id, inbox.c.received_at)
    .join_from(inbox, chat, inbox.c.chat == chat.c.id)
    .where(inbox.c.channel == bindparam("of"), inbox.c.message_id.is_not(None)),
    inbox.c.id,
    inbox.c.received_at,
)
_SENDING = select(sending.c.chat, sending.c.at).order_by(sending.c.chat)
_NOTE_SENDING = Upsert(sending, ["chat"])
_OVER = delete(sending).where(sending.c.chat.in_(bindparam("over", expanding=True)))
_NOTED = ("state", "shown_version", "pieces", "message_ids", "attempts", "error")
_NOTE = (
    update(outbox)
    .where(outbox.c.id == bindparam("of"))
    .values({name: bindparam(name) for name in (*_NOTED, "recorded_at")})
    .returning(outbox.c.chat)
)
_RECORD = Prepared(_NOTE)
_RECORD_END = Prepared(
    _NOTE.values(
        state=case(
            (outbox.c.version > bindparam("worked_on"), DeliveryState.OWED),
            else_=bindparam("state", type_=outbox.c.state.type),
        )
    )
)
_SEE = Upsert(sight, ["chat", "message_id"], overwrite("outbox"))


def _edit(insert: ConflictInsert) -> dict[str, object]:
    """Returns the changes of a new content: the screen stays known, and the tries start anew."""
    return {
        "content": insert.excluded.content,
        "version": outbox.c.version + 1,
        "state": insert.excluded.state,
        "attempts": insert.excluded.attempts,
        "error": insert.excluded.error,
    }


_SHOW = Upsert(outbox, ["key"], _edit)
_FORGET = (
    update(outbox)
    .where(outbox.c.key == bindparam("of"))
    .values(pieces=(), message_ids=(), created_at=bindparam("at", type_=outbox.c.created_at.type))
)
_ORIGINAL = select(outbox.c.id).where(outbox.c.key == bindparam("original")).scalar_subquery()
_EDIT_COPIES = (
    update(outbox)
    .where(COPIES, outbox.c.copy_of == _ORIGINAL)
    .values(
        content=bindparam("wanted", type_=outbox.c.content.type),
        version=outbox.c.version + 1,
        state=DeliveryState.OWED,
        attempts=0,
        error="",
    )
)


class SqlOutbox(Reads):
    def __init__(self, database: Database, written: Written) -> None:
        super().__init__(database)
        self._written = written

    async def owed(self, chat: int, after: int = 0) -> Sequence[OutboxRow]:
        return await self._all(OutboxRow, _OWED_IN, of=chat, after=after)

    async def chats_owed(self) -> Sequence[int]:
        return await self._scalars(_CHATS_OWED)

    async def record(self, delivered: Delivered) -> None:
        await self._database.write(partial(_record, delivered=delivered), repeatable=True)
        self._written.delivered(delivered)

    async def key_of(self, chat: int, message_id: str) -> str | None:
        return await self._scalar(_KEY_OF, of=chat, seen=message_id)

    async def row(self, key: str) -> OutboxRow | None:
        found = await self._rows(_BY_KEY, key)
        return found[0] if found else None

    async def newest(self, chat: int) -> OutboxRow | None:
        found = await self._rows(_NEWEST, chat)
        return found[0] if found else None

    async def latest(self, chat: int) -> Sequence[OutboxRow]:
        """Returns the newest 60 messages of a chat that were not given up, oldest first."""
        return (await self._rows(_NEWEST_FEW, chat))[::-1]

    async def sightings(self, channel: str, since: datetime) -> Sequence[Sighting]:
        return await self._database.read(partial(_sightings, channel=channel, since=since))

    async def note_sending(
        self, chats: Collection[int], over: Collection[int], at: datetime
    ) -> None:
        work = partial(_note_sending, chats=chats, over=over, at=at)
        # A power loss does not take back what was sent.
        await self._database.write(work, durable=True, repeatable=True)

    async def noted_sending(self) -> Mapping[int, datetime]:
        return await self._database.read(
            lambda connection: {chat: at for chat, at in connection.execute(_SENDING)}
        )

    async def pressable(self, prefix: str) -> Sequence[OutboxRow]:
        return [row for row in await self._rows(_PRESSABLE, prefix) if row.content.buttons]

    async def _rows(self, wanted: Select[Any] | Prepared, of: str | int) -> list[OutboxRow]:
        return await self._all(OutboxRow, wanted, of=of)


def _note_sending(
    connection: Connection, chats: Collection[int], over: Collection[int], at: datetime
) -> None:
    if over:
        connection.execute(_OVER, {"over": [*over]})
    _NOTE_SENDING.run(connection, *({"chat": chat, "at": at} for chat in chats))


def _sightings(connection: Connection, channel: str, since: datetime) -> list[Sighting]:
    own = [
        Sighting(address, message_id, at)
        for wanted in (*_OWN_SIGHTINGS, _OWED_SIGHTINGS)
        for address, message_ids, at in connection.execute(wanted, {"since": since})
        if address.channel == channel
        for message_id in message_ids
    ]
    others = [
        row
        for wanted in _SIGHTINGS
        for row in connection.execute(wanted, {"of": channel, "since": since})
    ]
    return own + [Sighting(*row) for row in others]


def show(connection: Connection, writes: Sequence[Show], at: datetime) -> None:
    """Writes messages; one that was given up is owed again when it has a new content."""
    rows = [
        values(write, ("key", "chat", "content"))
        | _owed(write.over, at)
        | values(write, ("copy_of", "about"))
        for write in writes
    ]
    _SHOW.run(connection, *rows)
    for write in writes:
        if write.anew:
            connection.execute(_FORGET, {"of": write.key, "at": at})
        if write.content.kind is OutboundKind.CARD and write.copy_of is None:
            _edit_copies(connection, write)


def _edit_copies(connection: Connection, write: Show) -> None:
    """Makes the new content of a card owed by its copies; their documents stay as they are."""
    content = replace(write.content, files=())
    connection.execute(_EDIT_COPIES, {"original": write.key, "wanted": content})


def retract(connection: Connection, writes: Sequence[Retract], at: datetime) -> None:
    """Writes rows that owe only the deletion of their message on the screen.

    The row of a message whose id is unknown is as old as the sending of it.
    """
    for write in writes:
        known = write.message_id is not None
        row = {
            "key": f"passing:{write.turn}:{write.message_id or ''}",
            "chat": write.chat,
            "content": Outbound(OutboundKind.GONE if known else OutboundKind.STRAY, ()),
            **_owed(write.message_id, write.since or at),
            "about": write.turn,
        }
        _SHOW.run(connection, row)


def _owed(over: str | None, at: datetime) -> dict[str, Any]:
    """Returns what a row begins with: it is owed, over the message that stands already, if any."""
    return {
        "version": 1 if over is None else 2,
        "shown_version": 0 if over is None else 1,
        "state": DeliveryState.OWED,
        "created_at": at,
        "pieces": (),
        "message_ids": () if over is None else (over,),
        "attempts": 0,
        "error": "",
    }


def _record(connection: Connection, delivered: Delivered) -> None:
    row = {"of": delivered.id, **values(delivered, _NOTED), "recorded_at": delivered.at}
    if delivered.state is DeliveryState.OWED:
        found = _RECORD.rows(connection, row)
    else:
        found = _RECORD_END.rows(connection, {**row, "worked_on": delivered.version})
    for (of,) in found:
        seen = (
            {"chat": of, "message_id": m, "outbox": delivered.id} for m in delivered.message_ids
        )
        _SEE.run(connection, *seen)
