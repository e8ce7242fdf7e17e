"""What the store of a story holds in the end: messages, turns, answers and costs."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from sqlalchemy import Connection, select

from bot.adapters.sql import tables
from bot.domain.change import InboundState
from bot.domain.money.budget import CallKind
from bot.domain.tools.tool import ToolResult
from bot.domain.turn.outcome import StopReason
from bot.domain.turn.transcript import Body, ReplyBody, ResultBody
from bot.domain.turn.turn import TurnState
from bot.ports.outbox import DeliveryState
from tests.fakes.store_rows import Rows

ANSWER = "answer:"
"""Begins the key of the message that tells how a turn ended."""
_UNANSWERED = (InboundState.ASKED, InboundState.DROPPED)


@dataclass(frozen=True, slots=True)
class Paid:
    """A call that was paid for; `estimated` where it broke off."""

    kind: CallKind
    estimated: bool


class Ended(NamedTuple):
    """What a turn came from, its state, and the reason for its end if it has ended."""

    origin: str
    state: TurnState
    why: StopReason | None


class Read(NamedTuple):
    """A result that a turn of this person read; `readonly` where the turn may only read."""

    person: int
    readonly: bool
    result: ToolResult


@dataclass(frozen=True, slots=True)
class Records:
    """The rows that the judge compares with what people did and saw."""

    taken: int
    """The messages of people that a turn has taken."""
    refused: int
    """The updates that a person dropped, or that a card asks them about."""
    turns: Mapping[str, Ended]
    shown: Collection[str]
    """The keys of all messages that are on a screen."""
    paid: Sequence[Paid]
    replies: Sequence[ReplyBody]
    """The replies of the model that are in the log, those that were cut off too."""
    read: Sequence[Read]
    """The results of all calls."""


def records_of(rows: Rows) -> Records:
    """Returns what a store in memory holds."""
    states = [row.state for row in rows.inbox.values()]
    return Records(
        states.count(InboundState.TAKEN),
        sum(state in _UNANSWERED for state in states),
        {turn.id: Ended(turn.origin, turn.state, turn.stop_reason) for turn in rows.turns.values()},
        [one.key for one in rows.outbox.values() if one.state is DeliveryState.SHOWN],
        [Paid(line.cause.kind, line.estimated) for line in rows.usage.values()],
        _replies([entry.body for entry in rows.entries.values()]),
        [
            Read(turn.asker, turn.mandate.readonly, entry.body.result)
            for entry in rows.entries.values()
            if isinstance(entry.body, ResultBody) and (turn := rows.turns.get(entry.turn))
        ],
    )


def records_in(connection: Connection) -> Records:
    """Returns what a database holds."""

    def all_of(*columns: Any) -> list[Any]:
        return [tuple(row) for row in connection.execute(select(*columns))]

    inbox, outbox = tables.inbox.c, tables.outbox.c
    turn, usage = tables.turn.c, tables.usage.c
    columns = turn.id, turn.origin, turn.state, turn.stop_reason
    askers = turn.id, turn.asker, turn.mandate
    states = [state for (state,) in all_of(inbox.state)]
    bodies = all_of(tables.entry.c.turn, tables.entry.c.body)
    asked = {id: (who, mandate.readonly) for id, who, mandate in all_of(*askers)}
    return Records(
        states.count(InboundState.TAKEN),
        sum(state in _UNANSWERED for state in states),
        {id: Ended(*told) for id, *told in all_of(*columns)},
        [key for key, state in all_of(outbox.key, outbox.state) if state is DeliveryState.SHOWN],
        [Paid(kind, estimated) for kind, estimated in all_of(usage.kind, usage.estimated)],
        _replies([body for _, body in bodies]),
        [
            Read(*asked[id], body.result)
            for id, body in bodies
            if isinstance(body, ResultBody) and id in asked
        ],
    )


def _replies(bodies: Sequence[Body]) -> Sequence[ReplyBody]:
    return [body for body in bodies if isinstance(body, ReplyBody)]
