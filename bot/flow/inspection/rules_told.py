"""Standing rules in the words of a page: what each allows, who gave it, and how often it ran."""

import json
from collections.abc import Mapping
from datetime import datetime
from zoneinfo import ZoneInfo

from bot.domain.consent.approval import Approval, Rule
from bot.domain.consent.rules import describe
from bot.domain.talk.person import Person
from bot.domain.text.names import plain_name
from bot.domain.text.visible_text import clipped, one_line, visible
from bot.domain.tools.call_words import Conceal
from bot.domain.tools.tool import ExactRule, OriginRule
from bot.domain.value import frozen
from bot.flow.commanding.wording import counted
from bot.ports.rules_page import RuleLine

_LONGEST = 300
_LONGEST_EXACT = 2_000
"""Characters of the values of a call in a list; the page of its turn has its card."""


@frozen
class RuleTeller:
    """Tells rules to one person, by their own clock."""

    reader: Person
    zone: str
    conceal: Conceal
    names: Mapping[int, str]
    """The names of people."""

    def line(self, rule: Rule, card: Approval | None, place: str) -> RuleLine:
        """Returns a rule with the card on which it was given."""
        theirs, me = self.names.get(rule.person, ""), self.reader.id
        giver = rule.person if card is None else card.decided_by
        name = theirs if card is None else card.decider_name
        trusts = isinstance(rule.pattern, OriginRule)
        times = counted(rule.used, "call") if rule.used else "not used yet"
        return RuleLine(
            rule.id,
            self.told(describe(rule.tool, rule.pattern)),
            self._exact(rule),
            tuple(_limits(rule)),
            place,
            "you" if rule.person == me else plain_name(theirs),
            f"{self._clock(rule.created_at)}, by {'you' if giver == me else plain_name(name)}",
            "" if card is None else card.turn,
            "it pauses no rule" if trusts else times,
            "" if rule.used_at is None else self._clock(rule.used_at),
            rule.person == me,
        )

    def told(self, words: str) -> str:
        """Returns the words of a rule on one line."""
        return visible(one_line(self.conceal(words), _LONGEST))

    def _exact(self, rule: Rule) -> str:
        if not isinstance(rule.pattern, ExactRule):
            return ""
        try:
            told = json.dumps(json.loads(rule.pattern.arguments), ensure_ascii=False, indent=1)
        except ValueError:
            told = rule.pattern.arguments
        return visible(clipped(self.conceal(told), _LONGEST_EXACT))

    def _clock(self, at: datetime) -> str:
        return f"{at.astimezone(ZoneInfo(self.zone)):%d %b %Y, %H:%M}"


def _limits(rule: Rule) -> list[str]:
    """Returns the further conditions of a rule."""
    limits: list[str] = []
    if rule.surroundings.variables:
        limits.append(f"with variables of the skill {plain_name(rule.surroundings.skill)}")
    if rule.under:
        skill = plain_name(rule.under.partition("@")[0])
        limits.append(f"only while the skill {skill} is in use")
    return limits
