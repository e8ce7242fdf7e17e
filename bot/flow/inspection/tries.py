"""The calls of a model behind the replies of a turn: those that were lost, and the paid ones."""

from collections.abc import Iterator
from datetime import datetime

from bot.domain.clock.folded_time import Stretch
from bot.domain.money.budget import CallKind
from bot.flow.explaining.story import ToldRound, TurnStory
from bot.flow.inspection.steps import Step
from bot.ports.records import PaidCall

LOST = "Model, a call that was lost"
_STARTED, _TAKEN_UP = "The program started again", "Another process went on"


class Tries:
    """Finds the paid calls and the starts of the program that belong before each reply.

    A record of a paid call has the time at which the call began. A call that the program did not
    outlive is on record only where a budget counts; else the start of the program tells of it, when
    nothing but a reply was waited for.
    """

    def __init__(self, story: TurnStory) -> None:
        kinds = (CallKind.ANSWER,)
        self._paid = [one for one in story.record.paid if one.kind in kinds]
        self._restarts = list(story.restarts)
        self._again = _TAKEN_UP if story.taken_up else _STARTED

    def of(self, one: ToldRound, number: int) -> tuple[Step, tuple[Step, ...]]:
        """Returns the call that brought the reply, and what came before it in vain."""
        at, since = one.at, one.since
        if at is None or since is None:
            return Step("model", 1, "Model"), ()
        lost, paid = self._taken(one, at)
        begin = max(since, paid.at) if paid is not None else since
        starts = self._started(at)
        steps = tuple(self._lost(lost, starts, begin, at, since, number))
        if starts:
            begin = max(begin, starts[-1])
        usage = paid.usage if paid is not None else one.reply.usage
        cost = paid.cost if paid is not None else None
        estimated = paid is not None and paid.estimated
        time = Stretch(begin, at)
        return Step("model", 1, "Model", time, "model", usage, cost, estimated), steps

    def left(self, number: int) -> Iterator[Step]:
        """Yields the calls and starts behind the last reply."""
        for call in self._paid:
            yield _call(call, call.at, number)
        for start in self._restarts:
            yield self._start(start, start, number)

    def _taken(self, one: ToldRound, until: datetime) -> tuple[list[PaidCall], PaidCall | None]:
        """Returns the calls before the one that brought a reply, and that one."""
        place = next((n for n, call in enumerate(self._paid) if _brought(call, one)), None)
        if place is None:
            lost = [call for call in self._paid if call.at < until and call.estimated]
            self._paid = [call for call in self._paid if call not in lost]
            return lost, None
        lost, paid = self._paid[:place], self._paid[place]
        self._paid = self._paid[place + 1 :]
        return lost, paid

    def _started(self, until: datetime) -> list[datetime]:
        starts = [start for start in self._restarts if start <= until]
        self._restarts = [start for start in self._restarts if start > until]
        return starts

    def _lost(
        self,
        lost: list[PaidCall],
        starts: list[datetime],
        begin: datetime,
        at: datetime,
        since: datetime,
        number: int,
    ) -> Iterator[Step]:
        for call in lost:
            end = next((start for start in starts if start >= call.at), max(begin, call.at))
            yield _call(call, min(end, at), number)
        for start in starts:
            before = max((call.at for call in lost if call.at <= start), default=since)
            if since < start and before <= since:
                yield _unkept(since, start, number)
            yield self._start(min(before, start), start, number)
            since = max(since, start)

    def _start(self, before: datetime, start: datetime, number: int) -> Step:
        time = Stretch(before, start)
        return Step("again", 1, self._again, time, "gap", round=number, event=True, most=True)


def _brought(call: PaidCall, one: ToldRound) -> bool:
    """Returns True for the record of a reply: its tokens are the same, or nobody told them."""
    told, usage = one.reply.usage, call.usage
    if _torn(call) or (one.at is not None and call.at > one.at):
        return False
    if not told.told:
        return call.estimated
    same = (told.input, told.output, told.cache_read, told.cache_write)
    return same == (usage.input, usage.output, usage.cache_read, usage.cache_write)


def _torn(call: PaidCall) -> bool:
    """Returns True for the record of a try that broke off, which is named behind its call."""
    return "-" in call.call


def _call(call: PaidCall, end: datetime, number: int) -> Step:
    time = Stretch(call.at, max(end, call.at))
    name = "Model, a try that broke off" if _torn(call) else LOST
    return Step("model", 1, name, time, "lost", call.usage, call.cost, estimated=True, round=number)


def _unkept(since: datetime, start: datetime, number: int) -> Step:
    """Returns a call of which nothing was kept: the program stopped before its reply was whole."""
    time = Stretch(since, start)
    return Step("model", 1, LOST, time, "lost", round=number, most=True)
