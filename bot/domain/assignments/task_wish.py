"""A wish for a task, as somebody spelled it: by a command, or by the arguments of a tool."""

from collections.abc import Mapping
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any, cast

from bot.domain.assignments.task import Allowed, ApprovedCall, Overlap, TaskLimits, TimedTask
from bot.domain.money.money import nano_of
from bot.domain.tools.tool import canonical
from bot.domain.value import field, frozen, replace


@frozen
class TaskWish:
    """The wanted fields of a task; None leaves a field as it is, or as tasks are."""

    when: str | None = None
    """The words for its times."""
    what: str | None = None
    """The words that each run gets."""
    fresh: bool | None = None
    """True for a conversation of its own for each run."""
    allowed: Allowed | None = None
    """The rights of its runs."""
    overlap: Overlap | None = None
    """The treatment of a time that comes before the last run has ended."""
    calls: tuple[ApprovedCall, ...] | None = None
    """The calls that run without a card."""
    calls_until: datetime | None = None
    """The end of their approval."""
    limits: TaskLimits = field(default_factory=TaskLimits)
    """The bounds of a day that are named."""
    private: bool = False
    """True to answer in the private chat of the person."""
    paused: bool | None = None
    """True to pause the task, false to let it run again."""

    def applied(self, task: TimedTask) -> TimedTask:
        """Returns the task with everything that needs no clock."""
        known, named = task.limits, self.limits
        return replace(
            task,
            what=task.what if self.what is None else self.what.strip(),
            fresh=task.fresh if self.fresh is None else self.fresh,
            allowed=self.allowed or task.allowed,
            overlap=self.overlap or task.overlap,
            calls=task.calls if self.calls is None else self.calls,
            calls_until=task.calls_until if self.calls is None else self.calls_until,
            limits=TaskLimits(
                named.runs or known.runs,
                named.rounds or known.rounds,
                named.money if named.money is not None else known.money,
            ),
        )


def wish_of(arguments: Mapping[str, Any], *, by_owner: bool = False) -> TaskWish:
    """Returns the wish in the arguments of a tool, which have been checked.

    `by_owner` is True once an owner has approved the calls in it.
    """
    calls = cast("list[Mapping[str, Any]] | None", arguments.get("calls"))
    dollars = arguments.get("dollars_a_day")
    until = arguments.get("calls_until")
    allowed, overlap = arguments.get("allowed"), arguments.get("overlap")
    where, state = arguments.get("conversation"), arguments.get("state")
    return TaskWish(
        when=arguments.get("when"),
        what=arguments.get("what"),
        fresh=None if where is None else where == "own",
        allowed=None if allowed is None else Allowed(allowed),
        overlap=None if overlap is None else Overlap(overlap),
        calls=None
        if calls is None
        else tuple(_approved(call, by_owner=by_owner) for call in calls),
        calls_until=None if until is None else _day(until),
        limits=TaskLimits(
            arguments.get("runs_a_day"),
            arguments.get("rounds_a_day"),
            None if dollars is None else nano_of(Decimal(str(dollars))),
        ),
        private=arguments.get("deliver") == "private",
        paused=None if state is None else state == "paused",
    )


def _approved(call: Mapping[str, Any], *, by_owner: bool) -> ApprovedCall:
    return ApprovedCall(call["tool"], canonical(call["arguments"]), by_owner=by_owner)


def _day(text: str) -> datetime:
    return datetime.strptime(text, "%Y-%m-%d").replace(tzinfo=UTC)
