"""Counts what a run does, by what it stores: each commit is looked at once, when it is done."""

from collections import OrderedDict
from collections.abc import Callable
from functools import partial
from typing import Any

from prometheus_client import CollectorRegistry, Counter, Histogram, ProcessCollector

from bot.domain.change import AddAudit, AddUsage, AddVerdict, Change, DropUsage, SaveApproval
from bot.domain.consent.approval import Approval, ApprovalState
from bot.ports.outbox import Delivered, DeliveryState

MOST_MODELS = 40
"""Models with numbers of their own; a label must not grow without end. Later ones are `other`."""

_MOST_UNDER_WAY = 256
_NANO = 1e9
_TOKENS = ("input", "output", "cache_read", "cache_write")
_SECONDS = (1, 2, 5, 15, 60, 300, 900, 3_600, 21_600, 86_400)
_DECIDED = (ApprovalState.APPROVED, ApprovalState.DENIED)


class Counts:
    """The numbers of one run; labels are states of our own and names of models, never of people."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self._models: set[str] = set()
        self._under_way: OrderedDict[str, AddUsage] = OrderedDict()
        count = partial(Counter, registry=self.registry)
        self._commits = count("steward_commits", "Changes of the store that were committed.")
        self._turns = count("steward_turns", "Turns that ended.", ["stop_reason"])
        self._rounds = count("steward_rounds", "Rounds of turns: a model call and its tools.")
        self._tools = count("steward_tool_calls", "Tool calls that ran.", ["status"])
        self._calls = count("steward_model_calls", "Calls of a model.", ["model", "status"])
        self._tokens = count("steward_tokens", "Tokens of paid calls.", ["model", "kind"])
        self._cost = count("steward_cost_dollars", "Cost of paid calls, if known.", ["model"])
        self._opened = count("steward_cards_opened", "Cards that asked a person.")
        self._ended = count("steward_cards_ended", "Cards that ended.", ["how"])
        self._deliveries = count("steward_deliveries", "Results of deliveries.", ["state"])
        self._retries = count("steward_delivery_retries", "Deliveries that failed and come again.")
        self._decided = Histogram(
            "steward_card_decision_seconds",
            "Seconds until a person decided a card.",
            buckets=_SECONDS,
            registry=self.registry,
        )
        ProcessCollector(registry=self.registry)
        self._of: dict[type, Callable[[Any], object]] = {
            AddAudit: self._line,
            AddVerdict: lambda _: self._rounds.inc(),
            AddUsage: self._usage,
            DropUsage: lambda write: self._under_way.pop(write.call, None),
            SaveApproval: lambda write: self._card(write.approval),
        }

    def committed(self, change: Change) -> None:
        """Counts a change that was committed."""
        self._commits.inc()
        for write in change.writes:
            counts = self._of.get(type(write))
            if counts is not None:
                counts(write)

    def delivered(self, result: Delivered) -> None:
        """Counts the result of a delivery."""
        if result.state is DeliveryState.OWED:
            self._retries.inc()
        else:
            self._deliveries.labels(result.state.value).inc()

    def called(self, model: str, status: str) -> None:
        """Counts a call of a model by its end: ok, or the kind of its trouble."""
        self._calls.labels(self._known(model), status).inc()

    def _line(self, line: AddAudit) -> None:
        if line.action == "turn.ended":
            self._turns.labels(str(line.details["stop_reason"])).inc()
        elif line.action == "call.ran":
            self._tools.labels(str(line.details["status"])).inc()
        elif line.action == "card.opened":
            self._opened.inc()

    def _card(self, card: Approval) -> None:
        if card.state is ApprovalState.OPEN or card.decided_at is None:
            return
        self._ended.labels(card.state.value).inc()
        if card.state in _DECIDED:
            seconds = (card.decided_at - card.created_at).total_seconds()
            self._decided.observe(max(0.0, seconds))

    def _usage(self, record: AddUsage) -> None:
        """Counts a record that is final; one that sets money aside is followed by another."""
        if self._under_way.pop(record.call, None) is None and _sets_aside(record):
            self._under_way[record.call] = record
            if len(self._under_way) <= _MOST_UNDER_WAY:
                return
            _, record = self._under_way.popitem(last=False)
        model = self._known(record.model)
        for kind in _TOKENS:
            self._tokens.labels(model, kind).inc(getattr(record.usage, kind))
        if record.cost is not None:
            self._cost.labels(model).inc(record.cost / _NANO)

    def _known(self, model: str) -> str:
        if model not in self._models and len(self._models) >= MOST_MODELS:
            return "other"
        self._models.add(model)
        return model


def _sets_aside(record: AddUsage) -> bool:
    return record.estimated and record.usage.output == 0
