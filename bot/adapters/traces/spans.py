"""Spans of turns, told from what is stored: each commit is looked at once, when it is done."""

import json
from collections import OrderedDict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, TypeAlias

from bot.adapters.traces import names
from bot.adapters.traces.span import Span, Value
from bot.domain.change import (
    AddUsage,
    AddVerdict,
    Append,
    Change,
    DropUsage,
    SaveApproval,
    SaveTurn,
)
from bot.domain.consent.approval import Approval, ApprovalState
from bot.domain.money.budget import CallKind
from bot.domain.tools.tool import Status, ToolCall, ToolResult
from bot.domain.turn.transcript import AskerBody, Entry, ReplyBody, ResultBody
from bot.domain.turn.turn import Turn, TurnState
from bot.ports.outbox import Delivered, DeliveryState, OutboxRow

AGENT = "Steward"
_MOST_UNDER_WAY = 512
"""Turns of which something is remembered until it ends; older ones tell a little less."""

_LONGEST = 4_000
"""Characters of a text in a span, where content is wanted."""

_NANO = 1e9
_PROVIDERS = {"anthropic": "anthropic", "openai": "openai"}
_OTHER = "_OTHER"

Sent: TypeAlias = Callable[[Span], None]
Conceal: TypeAlias = Callable[[str], str]


@dataclass(slots=True)
class _UnderWay:
    """A turn as far as it was seen."""

    round: int = 0
    round_began: datetime | None = None
    calls: dict[str, AddUsage] = field(default_factory=dict[str, AddUsage])
    """Paid calls of a model that have begun, by their names."""
    last: AddUsage | None = None
    tools: dict[str, ToolCall] = field(default_factory=dict[str, ToolCall])
    asked: str = ""
    answered: str = ""


class Spans:
    """Tells `sent` of each span once it has ended; texts come along only with `content`."""

    def __init__(self, sent: Sent, conceal: Conceal, *, content: bool = False) -> None:
        self._sent = sent
        self._conceal = conceal
        self._content = content
        self._turns: OrderedDict[str, _UnderWay] = OrderedDict()
        self._cards: OrderedDict[str, str] = OrderedDict()
        self._ended: OrderedDict[str, None] = OrderedDict()
        self._of: dict[type, Callable[[Any], Iterator[Span]]] = {
            AddUsage: self._usage,
            DropUsage: self._dropped,
            AddVerdict: self._verdict,
            Append: self._appended,
            SaveApproval: self._card,
        }

    def committed(self, change: Change) -> None:
        """Tells the spans that a change ends.

        The record of a round is stored with its reply, so it is looked at before; a turn comes
        last, since it is around the others.
        """
        for kind, told in self._of.items():
            for write in change.writes:
                if isinstance(write, kind):
                    self._send(told(write))
        for write in change.writes:
            if isinstance(write, SaveTurn):
                self._send(self._turn(write.turn))

    def delivered(self, row: OutboxRow, result: Delivered) -> None:
        """Tells a delivery that is over, of a message that shows words of a turn or of a card."""
        turn = self._cards.get(row.about, row.about)
        if not turn or result.state is DeliveryState.OWED:
            return
        values: dict[str, Value] = {
            names.DELIVERY_STATE: result.state.value,
            names.DELIVERY_KIND: row.content.kind.value,
            names.DELIVERY_CHANNEL: row.address.channel,
            names.DELIVERY_TRIES: result.attempts + 1,
        }
        fault = "not_delivered" if result.state is DeliveryState.DEAD else ""
        key = f"delivery {row.id} {result.version}"
        began = min(row.created_at, result.at)
        span = Span(turn, key, names.DELIVERY, began, result.at, values=values, fault=fault)
        self._send(iter((span,)))

    def _send(self, spans: Iterator[Span]) -> None:
        for span in spans:
            self._sent(span)

    def _under_way(self, turn: str) -> _UnderWay:
        known = self._turns.setdefault(turn, _UnderWay())
        self._turns.move_to_end(turn)
        if len(self._turns) > _MOST_UNDER_WAY:
            self._turns.popitem(last=False)
        return known

    def _verdict(self, write: AddVerdict) -> Iterator[Span]:
        known = self._under_way(write.turn)
        if known.round == write.round:
            return
        began = known.last.at if known.last is not None else write.at
        yield from self._round(write.turn, known, began)
        known.round, known.round_began = write.round, began

    def _round(self, turn: str, known: _UnderWay, ended: datetime) -> Iterator[Span]:
        if known.round_began is None:
            return
        values: dict[str, Value] = {names.ROUND_NUMBER: known.round}
        began, known.round_began = known.round_began, None
        yield Span(turn, _key(known.round), names.ROUND, began, max(began, ended), values=values)

    def _usage(self, write: AddUsage) -> Iterator[Span]:
        if write.cause.turn and write.cause.kind in (CallKind.ANSWER, CallKind.SUMMARY):
            known = self._under_way(write.cause.turn)
            known.calls[write.call] = write
            known.last = write
        yield from ()

    def _dropped(self, write: DropUsage) -> Iterator[Span]:
        """Tells a call of a model that failed before it cost anything."""
        for turn, known in self._turns.items():
            call = known.calls.pop(write.call, None)
            if call is not None:
                known.last = None if known.last is call else known.last
                values = _of_model(*_parted(call.model))
                name, ended = f"{names.CHAT} {values[names.REQUEST_MODEL]}", datetime.now(UTC)
                key, parent = f"call {write.call}", _key(known.round)
                began = min(call.at, ended)
                yield Span(turn, key, name, began, ended, parent, values, _OTHER, client=True)
                return

    def _appended(self, write: Append) -> Iterator[Span]:
        for entry in write.entries:
            known = self._under_way(entry.turn)
            match entry.body:
                case ReplyBody() as reply:
                    known.tools |= {call.id: call for call in reply.calls}
                    known.answered = reply.text or known.answered
                    yield self._called(entry, reply, known)
                case ResultBody(result=result) if not result.synthetic:
                    yield self._ran(entry, result, known)
                case AskerBody() as asked:
                    known.asked = known.asked or asked.purpose
                case _:
                    pass

    def _called(self, entry: Entry, reply: ReplyBody, known: _UnderWay) -> Span:
        origin, usage, paid = reply.provenance, reply.usage, known.last
        values = _of_model(origin.provider, origin.requested_model)
        values |= {
            names.RESPONSE_MODEL: origin.answered_model,
            names.FINISH_REASONS: (reply.finish.value,),
            names.INPUT_TOKENS: usage.input + usage.cache_read + usage.cache_write,
            names.OUTPUT_TOKENS: usage.output,
            names.CACHE_READ_TOKENS: usage.cache_read,
            names.CACHE_CREATION_TOKENS: usage.cache_write,
        }
        if paid is not None and paid.cost is not None:
            values[names.COST] = paid.cost / _NANO
        if self._content and reply.text:
            values[names.OUTPUT_MESSAGES] = self._message("assistant", reply.text)
        known.calls.clear()
        known.last = None
        began = paid.at if paid is not None else known.round_began or entry.at
        name = f"{names.CHAT} {origin.requested_model}"
        key, parent = f"reply {entry.seq}", _key(known.round)
        began = min(began, entry.at)
        return Span(entry.turn, key, name, began, entry.at, parent, values, client=True)

    def _ran(self, entry: Entry, result: ToolResult, known: _UnderWay) -> Span:
        values: dict[str, Value] = {
            names.OPERATION: names.EXECUTE_TOOL,
            names.TOOL: result.tool,
            names.TOOL_TYPE: "function",
            names.TOOL_CALL: result.call_id,
            names.STATUS: result.status.value,
        }
        call = known.tools.pop(result.call_id, None)
        if self._content:
            values[names.TOOL_RESULT] = self._text(result.text)
            if call is not None:
                values[names.TOOL_ARGUMENTS] = self._text(call.arguments_text)
        began = entry.at - timedelta(milliseconds=result.duration_ms)
        name, key = f"{names.EXECUTE_TOOL} {result.tool}", f"tool {result.call_id}"
        fault = "" if result.status is Status.SUCCESS else result.status.value
        return Span(entry.turn, key, name, began, entry.at, _key(known.round), values, fault)

    def _card(self, write: SaveApproval) -> Iterator[Span]:
        card: Approval = write.approval
        self._cards[card.id] = card.turn
        if len(self._cards) > _MOST_UNDER_WAY:
            self._cards.popitem(last=False)
        if card.state is ApprovalState.OPEN or card.decided_at is None:
            return
        if f"card {card.id}" in self._ended:
            return
        self._end(f"card {card.id}")
        values: dict[str, Value] = {
            names.CARD_STATE: card.state.value,
            names.CARD_KIND: card.kind,
            names.TOOL: card.call.name,
        }
        began = min(card.created_at, card.decided_at)
        yield Span(card.turn, f"card {card.id}", names.CARD, began, card.decided_at, values=values)

    def _turn(self, turn: Turn) -> Iterator[Span]:
        if turn.state is not TurnState.SETTLED or turn.id in self._ended:
            return
        self._end(turn.id)
        ended = turn.ended_at or datetime.now(UTC)
        known = self._turns.pop(turn.id, _UnderWay())
        yield from self._round(turn.id, known, ended)
        values: dict[str, Value] = {
            names.OPERATION: names.INVOKE_AGENT,
            names.AGENT: AGENT,
            names.CONVERSATION: turn.conversation,
            names.REQUEST_MODEL: turn.model,
            names.TURN: turn.id,
            names.CHAT_NUMBER: turn.chat,
            names.ORIGIN: turn.origin,
            names.ROUNDS: turn.rounds,
            names.CALLS: turn.calls,
        }
        reason = turn.stop_reason.value if turn.stop_reason is not None else ""
        values |= {names.STOP_REASON: reason} if reason else {}
        if self._content and known.asked:
            values[names.INPUT_MESSAGES] = self._message("user", known.asked)
        if self._content and known.answered:
            values[names.OUTPUT_MESSAGES] = self._message("assistant", known.answered)
        fault = reason if reason in _FAULTS else ""
        name = f"{names.INVOKE_AGENT} {AGENT}"
        began = min(turn.created_at, ended)
        yield Span(turn.id, "", name, began, ended, None, values, fault)

    def _end(self, key: str) -> None:
        self._ended[key] = None
        if len(self._ended) > _MOST_UNDER_WAY:
            self._ended.popitem(last=False)

    def _message(self, role: str, text: str) -> str:
        part = {"type": "text", "content": self._text(text)}
        return json.dumps([{"role": role, "parts": [part]}], ensure_ascii=False)

    def _text(self, text: str) -> str:
        return self._conceal(text)[:_LONGEST]


_FAULTS = frozenset({"model_failure", "internal_failure"})


def _key(round: int) -> str:
    return f"round {round}" if round else ""


def _parted(model: str) -> tuple[str, str]:
    provider, _, name = model.partition("/")
    return provider, name


def _of_model(provider: str, model: str) -> dict[str, Value]:
    return {
        names.OPERATION: names.CHAT,
        names.PROVIDER: _PROVIDERS.get(provider, provider),
        names.REQUEST_MODEL: model,
    }
