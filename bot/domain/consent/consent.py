"""Consents: approvals that are kept, and the one comparison before any of them counts."""

from enum import Enum

from bot.domain.consent.approval import Approval, Rule
from bot.domain.consent.rules import DOCUMENTS, matches
from bot.domain.tools.run_place import in_todays_words
from bot.domain.tools.tool import Effect, ExactRule, Preview, RulePattern, Surroundings, ToolCall
from bot.domain.value import frozen


class Difference(Enum):
    """The difference between what stood on the screen and what would run now."""

    CALL = "call"
    DANGER = "danger"
    PLACE = "place"
    STATE = "state"


@frozen
class Consent:
    """An approval that is kept: all that stood on the screen, for a call or the calls of a rule."""

    tool: str
    """The name of the tool."""
    pattern: RulePattern
    """The calls that were approved: one exact call, or those of a standing rule."""
    surroundings: Surroundings
    """The place that was shown, and the variables."""
    shown: Preview | None = None
    """The call as it was shown; None where it was approved for any state of things."""
    whole: bool = False
    """True when all of it must be as it was shown, a danger too: somebody decided its card."""
    under: str = ""
    """The edition of the skill that must be in use; empty for any."""


def of_rule(rule: Rule) -> Consent:
    """Returns the consent that a standing rule gives."""
    return Consent(rule.tool, rule.pattern, rule.surroundings, under=rule.under)


def of_card(card: Approval) -> Consent:
    """Returns the consent of an approved card."""
    exact, shown = ExactRule(card.call.canonical), card.preview
    return Consent(card.call.name, exact, shown.surroundings, shown, whole=True)


def outdated(card: Approval, now: Preview) -> Difference | None:
    """Returns what differs from an approved card that shows a place or variables, if anything.

    A card without them is about a file, whose state the tool itself compares.
    """
    shown = card.preview
    if not now.surroundings.within(shown.surroundings):
        return Difference.PLACE
    if not shown.surroundings.where or _still_seen(shown, now):
        return None
    return Difference.STATE


def difference(
    consent: Consent,
    call: ToolCall,
    now: Preview,
    *,
    under: str = "",
    documents: frozenset[str] = DOCUMENTS,
) -> Difference | None:
    """Returns the difference that keeps an approval from counting for this call; None for none.

    `now` is what the call would do now, and `under` the edition of the skill in use.
    """
    arguments, shown = call.arguments or {}, consent.shown
    same = consent.tool == call.name and consent.under in ("", under)
    if not same or not matches(
        consent.pattern, call.name, arguments, documents, offered=now.always
    ):
        return Difference.CALL
    if consent.whole:
        return None if shown is not None and shown.shows_like(now) else Difference.STATE
    if now.dangerous or (now.effect is Effect.DANGER and not (shown and shown.unwalled)):
        return Difference.DANGER
    if not now.surroundings.within(consent.surroundings):
        return Difference.PLACE
    if shown is None:
        return None
    if in_todays_words(shown.where) not in ("", now.where):
        return Difference.PLACE
    return None if _still_seen(shown, now) else Difference.STATE


def _still_seen(shown: Preview, now: Preview) -> bool:
    return shown.seen is None or in_todays_words(shown.seen) == now.seen
