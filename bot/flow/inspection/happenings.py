"""The steps of a waterfall: everything that happened in a turn, with the times of its rows."""

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta

from bot.domain.clock.folded_time import Stretch
from bot.domain.money.model import Usage
from bot.domain.money.money import Nano
from bot.domain.talk.message import OutboundKind
from bot.domain.turn.transcript import AskerBody, CutBody, SummaryBody
from bot.domain.value import frozen
from bot.flow.explaining.story import Helper, ToldRound, TurnStory
from bot.flow.inspection.call_steps import call_steps
from bot.flow.inspection.steps import Step, of_calls
from bot.flow.inspection.tries import LOST, Tries

_A_QUEUE = timedelta(seconds=1)
_CHANNELS = {"telegram": "Telegram", "discord": "Discord", "web": "this page"}
_CAUSES = {
    "continuation": "A card was decided",
    "plan": "The plan was approved",
    "errand": "Sent out as a helper",
    "task": "The task was due",
    "hook": "Another program called",
}


@frozen
class Happenings:
    """The steps of a turn in their order, and the stretch of time that they take."""

    steps: tuple[Step, ...]
    whole: Stretch

    def cut_off(self, start: Step) -> bool:
        """Returns True when the program stopped before this start while a model answered."""
        lost = [step.time for step in self.steps if step.name == LOST]
        return any(
            time is not None and start.time is not None and time.end == start.time.end
            for time in lost
        )

    @property
    def starts(self) -> tuple[Step, ...]:
        """Returns the starts of the program."""
        return tuple(step for step in self.steps if step.event)


def happenings(story: TurnStory, now: datetime) -> Happenings:
    """Returns everything that happened, up to now while the turn is under way."""
    steps = list(_steps(story, now))
    moments = [at for step in steps if step.time for at in (step.time.begin, step.time.end)]
    begin = min(moments, default=story.turn.created_at)
    return Happenings(tuple(steps), Stretch(begin, max(moments, default=begin)))


def channel_name(channel: str) -> str:
    """Returns the name of a channel as people know it."""
    return _CHANNELS.get(channel, f"the {channel}")


def _steps(story: TurnStory, now: datetime) -> Iterator[Step]:
    yield from _begin(story)
    tries = Tries(story)
    helpers = {helper.errand.call: helper for helper in story.helpers}
    last = len(story.rounds)
    for number, one in enumerate(story.rounds, 1):
        yield from _between(one, number)
        yield from _round(one, number, tries, helpers, now, final=number == last)
    yield from tries.left(last + 1)
    yield from _delivered(story)


def _begin(story: TurnStory) -> Iterator[Step]:
    turn, arrived = story.turn, story.record.arrived
    opened = story.begins[0] if story.begins else turn.created_at
    came = arrived[0].at if arrived else turn.created_at
    if arrived:
        name = f"Received on {channel_name(arrived[0].channel)}"
        yield Step("in", 0, name, Stretch(came, came), "queue")
    else:
        name = _CAUSES.get(turn.origin, "Began")
        yield Step("in", 0, name, Stretch(came, came), "queue")
    if opened - came > _A_QUEUE:
        yield Step("clock", 0, "Waited its turn", Stretch(came, opened), "queue")


def _between(one: ToldRound, number: int) -> Iterator[Step]:
    for body in one.before:
        match body:
            case AskerBody():
                yield Step("in", 0, "A message joined", None, round=number)
            case SummaryBody():
                yield Step("ring", 0, "The earlier part was summed up", None, round=number)
            case CutBody(shrunk=shrunk) if shrunk:
                yield Step("ring", 0, "Older results were shortened", None, round=number)
            case _:
                pass


def _round(
    one: ToldRound,
    number: int,
    tries: Tries,
    helpers: dict[str, Helper],
    now: datetime,
    *,
    final: bool,
) -> Iterator[Step]:
    at = one.at or now
    model, lost = tries.of(one, number)
    name = "Model: the answer" if final and not one.calls else "Model"
    begun = [step.time.begin for step in (*lost, model) if step.time]
    inner = (*lost, Step("model", 1, name, model.time, "model", *model.paid, round=number))
    rest = tuple(of_calls(call_steps(one.calls, at, helpers, now), number))
    ends = [step.time.end for step in (*inner, *rest) if step.time]
    usages = [step.usage for step in inner if step.usage is not None]
    paid = _sum([step.cost for step in inner]), any(step.estimated for step in inner)
    whole = Stretch(min(begun, default=at), max(ends, default=at))
    usage = sum(usages, Usage()) if usages else None
    yield Step("ring", 0, f"Round {number}", whole, "span", usage, *paid, round=number)
    yield from inner
    yield from rest


def _sum(costs: Sequence[Nano | None]) -> Nano | None:
    known = [cost for cost in costs if cost is not None]
    return sum(known) if known else None


def _delivered(story: TurnStory) -> Iterator[Step]:
    for row in story.record.shown:
        if row.kind is OutboundKind.ANSWER:
            name = f"Delivered to {channel_name(row.address.channel)}"
            told = name if row.recorded_at else f"Not delivered to {name[13:]} yet"
            end = row.recorded_at or row.created_at
            yield Step("send", 0, told, Stretch(row.created_at, max(end, row.created_at)), "sent")
