"""Consent, measured: how many cards people got, and how long they looked at them. No score."""

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from datetime import datetime
from statistics import median

from bot.domain.clock.span import figure
from bot.domain.consent.approval import Approval, ApprovalState
from bot.domain.consent.offered_rules import offered_rules
from bot.domain.text.names import plain_name
from bot.domain.value import frozen
from bot.ports.card_page import ConsentFigures, ConsentOf, SavingRule
from bot.ports.records import Decided

QUICK_SECONDS = 2.0
"""A press in less time is too fast to have read the card."""

_BORDERS = (QUICK_SECONDS, 5.0, 15.0, 60.0, 600.0)
_MOST_PEOPLE = 20
_MOST_RULES = 5
_LEAST_SAVED = 2
"""Cards that a rule would have saved before it is worth a line."""

_PRESSED = frozenset({ApprovalState.APPROVED, ApprovalState.DENIED})


@frozen
class Week:
    """The decisions of seven days, and the requests of people in them."""

    decisions: Sequence[Decided]
    requests: int

    @property
    def pressed(self) -> list[Decided]:
        return [one for one in self.decisions if _pressed(one)]

    @property
    def each(self) -> str:
        """Returns the cards for each request."""
        if not self.decisions:
            return "no cards"
        return f"{len(self.decisions) / self.requests:.2f}" if self.requests else "no requests"

    @property
    def median(self) -> str:
        """Returns the time within which half of the presses came."""
        return median_of(self.pressed)


def measured(
    week: Week, before: Week, rules: tuple[SavingRule, ...], *, bounded: bool
) -> ConsentFigures:
    """Returns the figures of seven days beside those of the seven days before them."""
    pressed = week.pressed
    seconds = [_seconds(one) for one in pressed]
    columns = Counter(sum(one >= border for border in _BORDERS) for one in seconds)
    cards_compared = bool(week.decisions or before.decisions)
    presses_compared = bool(pressed or before.pressed)
    return ConsentFigures(
        week.requests,
        len(week.decisions),
        len(pressed),
        week.each,
        before.each if cards_compared else "",
        week.median,
        before.median if presses_compared else "",
        sum(one < QUICK_SECONDS for one in seconds),
        sum(one.state is ApprovalState.DENIED for one in pressed),
        tuple(columns[n] for n in range(len(_BORDERS) + 1)),
        _people(pressed),
        rules,
        bounded,
    )


def median_of(pressed: Sequence[Decided]) -> str:
    """Returns the median time to a press."""
    return figure(median(_seconds(one) for one in pressed)) if pressed else "none yet"


def seconds_between(since: datetime, at: datetime) -> float:
    """Returns the seconds from the showing of a card to a press."""
    return max((at - since).total_seconds(), 0.0)


def _seconds(one: Decided) -> float:
    return seconds_between(one.since, one.at)


def _pressed(one: Decided) -> bool:
    return one.state in _PRESSED and one.by is not None


def _people(pressed: Sequence[Decided]) -> tuple[ConsentOf, ...]:
    by: defaultdict[int | None, list[Decided]] = defaultdict(list)
    for one in pressed:
        by[one.by].append(one)
    most = sorted(by.values(), key=len, reverse=True)[:_MOST_PEOPLE]
    return tuple(
        ConsentOf(
            plain_name(theirs[0].name),
            len(theirs),
            median_of(theirs),
            sum(_seconds(one) < QUICK_SECONDS for one in theirs),
        )
        for theirs in most
    )


def saving_rules(cards: Sequence[Approval], place: Callable[[int], str]) -> tuple[SavingRule, ...]:
    """Returns rules for which cards came that were all approved; the first of them was due."""
    words: dict[str, str] = {}
    places: dict[tuple[str, str], int] = {}
    found: defaultdict[tuple[int, int, str], list[Approval]] = defaultdict(list)
    for card in cards:
        for number, rule in enumerate(offered_rules(card.call.name, card.preview)):
            words[rule.key] = rule.words
            places.setdefault((card.id, rule.key), number)
            found[card.chat, card.asker, rule.key].append(card)
    saving: list[tuple[int, SavingRule]] = []
    for (chat, _, rule), alike in found.items():
        saved = len(alike) - 1
        if saved >= _LEAST_SAVED and all(c.state is ApprovalState.APPROVED for c in alike):
            names = dict.fromkeys(plain_name(card.decider_name) for card in alike)
            told = f"{len(alike)} cards, all approved by {' and '.join(names)}"
            newest = alike[0].id
            number = places[newest, rule]
            saving.append((saved, SavingRule(words[rule], place(chat), told, newest, number)))
    saving.sort(key=lambda one: one[0], reverse=True)
    return tuple(rule for _, rule in saving[:_MOST_RULES])
