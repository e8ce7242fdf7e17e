"""The inbox in memory: how a change alters it."""

from dataclasses import replace
from typing import TYPE_CHECKING

from bot.domain.change import AmendInbound, InboundState, MarkInbound, PassOver, ReleaseHeard
from bot.domain.talk.errors import Conflict

if TYPE_CHECKING:
    from tests.fakes.store_rows import Rows


def write_inbound(
    rows: "Rows", write: MarkInbound | PassOver | ReleaseHeard | AmendInbound
) -> None:
    if isinstance(write, PassOver | ReleaseHeard):
        _dismiss(rows, write)
        return
    row = rows.inbox.get(write.id)
    expect = write.expect if isinstance(write, MarkInbound) else (InboundState.WAITING,)
    if row is None or row.state not in expect:
        raise Conflict(f"update {write.id} is not in a state that was expected")
    if isinstance(write, AmendInbound):
        rows.inbox[row.id] = replace(row, body=write.body)
        return
    if write.turn is not None:
        rows.taken[row.id] = write.turn
    chat = row.chat if write.chat is None else rows.chat(write.chat).id
    message_id = row.message_id if write.message_id is None else write.message_id
    person = row.person if write.person is None else write.person
    rows.inbox[row.id] = replace(
        row,
        state=write.state,
        chat=chat,
        message_id=message_id,
        person=person,
        fragment=row.fragment or write.fragment,
        body="" if write.forget else row.body,
    )


def _dismiss(rows: "Rows", write: PassOver | ReleaseHeard) -> None:
    for id, row in rows.inbox.items():
        new = isinstance(write, PassOver) and id in write.ids and row.state is InboundState.NEW
        heard = (
            isinstance(write, ReleaseHeard)
            and row.chat == write.chat
            and id <= write.up_to
            and row.state is InboundState.HEARD
        )
        if new or heard:
            rows.inbox[id] = replace(row, state=InboundState.DONE, body="")
