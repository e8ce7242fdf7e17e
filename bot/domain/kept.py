"""Approvals that are kept, and the one comparison before any of them counts."""

from dataclasses import dataclass
from enum import Enum

from bot.domain.approval import Approval, Rule
from bot.domain.rules import DOCUMENTS, matches
from bot.domain.tool import Effect, ExactRule, Preview, RulePattern, Surroundings, ToolCall


class Difference(Enum):
    """What is different now from what stood on the screen."""

    CALL = "call"
    DANGER = "danger"
    PLACE = "place"
    STATE = "state"


@dataclass(frozen=True, slots=True)
class Kept:
    """What stood on the screen when somebody approved a call, or all calls of a rule."""

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


def of_rule(rule: Rule) -> Kept:
    """Returns what stood on the screen when a standing rule was given."""
    return Kept(rule.tool, rule.pattern, rule.surroundings, under=rule.under)


def of_card(card: Approval) -> Kept:
    """Returns what stood on the screen when a card was approved."""
    exact, shown = ExactRule(card.call.canonical), card.preview
    return Kept(card.call.name, exact, shown.surroundings, shown, whole=True)


def difference(
    kept: Kept,
    call: ToolCall,
    now: Preview,
    *,
    under: str = "",
    documents: frozenset[str] = DOCUMENTS,
) -> Difference | None:
    """Returns the difference that keeps an approval from counting for this call; None for none.

    `now` is what the call would do now, and `under` the edition of the skill in use.
    """
    arguments, shown = call.arguments or {}, kept.shown
    same = kept.tool == call.name and kept.under in ("", under)
    if not same or not matches(kept.pattern, call.name, arguments, documents, offered=now.always):
        return Difference.CALL
    if kept.whole:
        return None if shown is not None and shown.shows_like(now) else Difference.STATE
    if now.dangerous or (now.effect is Effect.DANGER and not (shown and shown.unwalled)):
        return Difference.DANGER
    if not now.surroundings.within(kept.surroundings):
        return Difference.PLACE
    if shown is None:
        return None
    if shown.where not in ("", now.where):
        return Difference.PLACE
    return Difference.STATE if shown.seen not in (None, now.seen) else None
