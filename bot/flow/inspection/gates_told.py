"""The gates of a turn in words: each call that asked, and each one that asked nobody."""

from collections.abc import Iterator, Sequence

from bot.domain.consent.approval import Approval
from bot.domain.text.names import plain_name
from bot.domain.text.visible_text import one_line, visible
from bot.domain.tools.call_words import Conceal
from bot.domain.tools.tool import Effect, Preview, Warrant
from bot.flow.explaining.call_why import StoryReader, decision_of, end_of, fault_of, why_of
from bot.flow.explaining.story import ToldCall, TurnStory
from bot.flow.inspection.call_steps import title_of
from bot.ports.turn_page import AllowedCall, AskedCall, Reason

_LONGEST = 300
_MOST = 60
"""Calls of each kind that a page tells."""

_EFFECTS = {
    Effect.READ: "it only reads",
    Effect.WRITE: "it changes something: it asks unless a rule allows it",
    Effect.DANGER: "dangerous: it always asks, and no rule can cover it",
}


def calls_of(story: TurnStory) -> Sequence[ToldCall]:
    """Returns the calls of a turn in their order, one that was decided late first."""
    return (*story.late, *(call for one in story.rounds for call in one.calls))


def asking(story: TurnStory, reader: StoryReader) -> tuple[AskedCall, ...]:
    """Returns the calls that had a card, each with the reasons why it asked."""
    carded = [(told, told.card) for told in calls_of(story) if told.card is not None]
    return tuple(
        AskedCall(reader.conceal(title_of(told)), (*reasons(card, reader), *_end(told, reader)))
        for told, card in carded[:_MOST]
    )


def reasons(card: Approval, reader: StoryReader) -> Iterator[Reason]:
    """Yields why a card asked, and what was decided."""
    preview = card.preview
    yield from why_asked(card, reader.conceal)
    if card.kind == "repeat":
        yield Reason("Repeat", "the same call came again and again, so a person was asked")
    if preview.fault:
        yield Reason("Fault", visible(one_line(reader.conceal(preview.fault), _LONGEST)))
    yield Reason("Decided", decision_of(card, reader))


def why_asked(card: Approval, conceal: Conceal) -> Iterator[Reason]:
    """Yields the effect, the rule, the person and the text from outside behind a card."""
    preview = card.preview
    yield Reason("Effect", _EFFECTS[preview.effect])
    if preview.why:
        yield Reason("Reason", visible(one_line(conceal(preview.why), _LONGEST)))
    rule = _rule(preview)
    if rule:
        yield Reason("Rule", rule)
    if card.owner_chats:
        who = plain_name(card.asker_name) if card.asker_name else "The asker"
        yield Reason("Person", f"{who} may not approve this alone, so owners are asked")
    source = preview.paused or preview.barred
    if source:
        yield Reason("Because of", visible(one_line(conceal(source), _LONGEST)), True)


def _rule(preview: Preview) -> str:
    if preview.effect is not Effect.WRITE:
        return ""
    if preview.paused:
        return "one covers it, but is paused: text from outside is in view"
    if preview.barred:
        return "none is offered while text from outside is in view"
    return "none covers it"


def _end(told: ToldCall, reader: StoryReader) -> Iterator[Reason]:
    if told.result is not None and (fault := fault_of(told.result, reader.conceal)):
        yield Reason("Ended", f"{end_of(told.result)}: {fault}")


def allowed(story: TurnStory, reader: StoryReader) -> tuple[AllowedCall, ...]:
    """Returns the calls without a card, each with what allowed it, or why it did not run."""
    alone = [told for told in calls_of(story) if told.card is None]
    return tuple(
        AllowedCall(reader.conceal(title_of(told)), _allowed(told, reader))
        for told in alone[:_MOST]
    )


def _allowed(told: ToldCall, reader: StoryReader) -> str:
    result = told.result
    if result is None:
        return "no end is known"
    why = why_of(told, reader)
    if result.warrant is Warrant.RULE and result.ruled:
        why = visible(one_line(reader.conceal(result.ruled), _LONGEST))
    fault = fault_of(result, reader.conceal)
    return ". ".join(part for part in (why, f"It failed: {fault}" if fault else "") if part)
