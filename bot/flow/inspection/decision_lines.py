"""The decisions of the loop in a turn, told from rows: what it did next, and why."""

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from bot.domain.text.visible_text import one_line, visible
from bot.domain.tools.tool import Warrant
from bot.domain.turn.transcript import AskerBody, SummaryBody
from bot.domain.value import frozen
from bot.flow.commanding.wording import counted
from bot.flow.explaining.call_why import StoryReader, decision_of, spared, why_of
from bot.flow.explaining.story import ToldCall, ToldRound, TurnStory
from bot.flow.explaining.wording import ending_of
from bot.flow.inspection.call_steps import title_of
from bot.flow.inspection.waterfall import clock
from bot.ports.records import RoundRecord
from bot.ports.turn_page import DecisionLine

_LONGEST = 300
_MOST = 200
"""Lines of a page."""

_STEPS = {"WrapUp": "Ask for a last answer", "CallModel": "Ask the model"}
_WHYS = {
    "the log waits for the model": "every call has its result, so the model goes on",
    "the reply was empty": "its reply was empty",
    "the provider paused the reply": "the provider paused the reply, so it goes on",
}


@frozen
class MadeDecision:
    """A decision with its time."""

    at: datetime
    what: str
    why: str


def decision_lines(story: TurnStory, reader: StoryReader, zone: str) -> tuple[DecisionLine, ...]:
    """Returns the decisions of a turn in the order of their times."""
    made = sorted(_made(story, reader), key=lambda one: one.at)
    return tuple(
        DecisionLine(
            clock(one.at, zone),
            reader.conceal(one.what),
            visible(one_line(reader.conceal(one.why), _LONGEST)),
        )
        for one in made[:_MOST]
    )


def _made(story: TurnStory, reader: StoryReader) -> Iterator[MadeDecision]:
    records = {one.round: one for one in story.record.rounds}
    for number, one in enumerate(story.rounds, 1):
        yield from _asked_model(one, number, records)
        yield from _after_reply(one, reader)
    who = "another process went on" if story.taken_up else "the program started"
    for start in story.restarts:
        yield MadeDecision(start, "Go on from the log", f"{who}; the log tells what is done")
    turn = story.turn
    if turn.ended_at is not None:
        yield MadeDecision(turn.ended_at, "Finish", ending_of(story))


def _asked_model(
    one: ToldRound, number: int, records: Mapping[int, RoundRecord]
) -> Iterator[MadeDecision]:
    at = one.since or one.at
    if at is None:
        return
    for body in one.before:
        if isinstance(body, AskerBody):
            yield MadeDecision(at, "Let a message join", "it came while this was under way")
        elif isinstance(body, SummaryBody):
            yield MadeDecision(at, "Sum up the earlier part", "the view was nearly full")
    record = records.get(number)
    told: Mapping[str, Any] = record.details if record is not None else {}
    what = _STEPS.get(str(told.get("step", "")), "Ask the model")
    why, _, more = str(told.get("why", "")).partition("; ")
    words = "the message waits for an answer" if number == 1 else _WHYS.get(why, why)
    yield MadeDecision(at, what, f"{words}; {more}" if more else words)


def _after_reply(one: ToldRound, reader: StoryReader) -> Iterator[MadeDecision]:
    at = one.at
    if at is None:
        return
    reads = [told for told in one.calls if told.card is None and _reads(told)]
    if len(reads) > 1:
        why = "they only read, so they run side by side and ask nobody"
        yield MadeDecision(at, f"Run {counted(len(reads), 'read')}", why)
    for told in one.calls:
        if told in reads and len(reads) > 1:
            continue
        yield from _of_call(told, at, reader)


def _reads(told: ToldCall) -> bool:
    result = told.result
    return result is not None and result.warrant is Warrant.READS and not spared(result)


def _of_call(told: ToldCall, at: datetime, reader: StoryReader) -> Iterator[MadeDecision]:
    title, card, result = title_of(told), told.card, told.result
    if card is not None:
        yield MadeDecision(
            card.created_at, f"Ask a person: {title}", card.preview.why or _change(told)
        )
        if card.decided_at is not None:
            ran = result is not None and not result.synthetic
            what = _what(title, ran=ran)
            yield MadeDecision(card.decided_at, what, decision_of(card, reader))
        return
    if result is None:
        return
    ran = not result.synthetic or told.began is not None
    what = _what(title, ran=ran)
    yield MadeDecision(told.began or at, what, why_of(told, reader) or result.text)


def _what(title: str, *, ran: bool) -> str:
    """Returns what was done with a call; a command says itself that it runs."""
    return f"{'Run' if ran else 'Do not run'}: {title.removeprefix('Run ')}"


def _change(told: ToldCall) -> str:
    card = told.card
    if card is not None and card.preview.paused:
        return "your rule is paused, since text from outside is in view"
    return "it changes something, and no rule covers it"
