"""The outbox in memory: how a change alters it."""

from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING

from bot.domain.change import Retract, Show
from bot.domain.talk.message import Outbound, OutboundKind
from bot.ports.outbox import DeliveryState, OutboxRow

if TYPE_CHECKING:
    from tests.fakes.store_rows import Rows


_LONG = 16
"""Characters from which on an id in a key is no accident."""


def owe(rows: "Rows", write: Show | Retract, at: datetime) -> None:
    if isinstance(write, Retract):
        _retract(rows, write, at)
    else:
        _show(rows, write, at)


def _show(rows: "Rows", write: Show, at: datetime) -> None:
    _put(rows, write, at)
    if write.copy_of is not None:
        rows.copies[write.key] = write.copy_of
    elif write.content.kind is OutboundKind.CARD:
        original = rows.outbox[write.key].id
        content = replace(write.content, files=())
        for key in [key for key, of in rows.copies.items() if of == original]:
            _put(rows, replace(write, key=key, content=content), at)


def _put(rows: "Rows", write: Show, at: datetime) -> None:
    address = rows.chat(write.chat).address
    known = rows.outbox.get(write.key)
    if known is not None:
        rows.outbox[write.key] = replace(
            known,
            content=write.content,
            version=known.version + 1,
            state=DeliveryState.OWED,
            attempts=0,
            error="",
            pieces=() if write.anew else known.pieces,
            message_ids=() if write.anew else known.message_ids,
            created_at=at if write.anew else known.created_at,
        )
        return
    named = {id for id in (*rows.turns, *rows.approvals, *rows.plans) if len(id) >= _LONG}
    assert write.about or not any(id in write.key for id in named), (
        f"{write.key} tells not what it is about"
    )
    rows.outbox[write.key] = OutboxRow(
        id=len(rows.outbox) + 1,
        key=write.key,
        chat=write.chat,
        address=address,
        content=write.content,
        version=1 if write.over is None else 2,
        shown_version=0 if write.over is None else 1,
        state=DeliveryState.OWED,
        created_at=at,
        message_ids=() if write.over is None else (write.over,),
        about=write.about,
    )


def _retract(rows: "Rows", write: Retract, at: datetime) -> None:
    key, known = f"passing:{write.turn}:{write.message_id or ''}", write.message_id is not None
    if not known and key in rows.outbox:
        _put(rows, Show(key, write.chat, rows.outbox[key].content, about=write.turn), at)
        return
    rows.outbox[key] = OutboxRow(
        id=len(rows.outbox) + 1,
        key=key,
        chat=write.chat,
        address=rows.chat(write.chat).address,
        content=Outbound(OutboundKind.GONE if known else OutboundKind.STRAY, ()),
        version=2 if known else 1,
        shown_version=1 if known else 0,
        state=DeliveryState.OWED,
        created_at=write.since or at,
        message_ids=() if write.message_id is None else (write.message_id,),
        about=write.turn,
    )
