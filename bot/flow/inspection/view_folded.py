"""Folds what the model has in view from a log, into words for a page."""

from collections.abc import Iterator, Sequence

from bot.domain.consent.approval import Rule
from bot.domain.consent.rules import describe
from bot.domain.money.model import ModelProfile
from bot.domain.text.names import plain_name
from bot.domain.tools.tool import OriginRule
from bot.domain.turn.transcript import (
    AskerBody,
    Entry,
    RecallBody,
    ReplyBody,
    SummaryBody,
    uncovered,
)
from bot.domain.value import frozen
from bot.flow.commanding.wording import counted
from bot.flow.log.request_view import ViewFold, foreign_to


@frozen
class FoldedView:
    """The size of a view, its parts in words, and what stands in it from outside."""

    tokens: int
    lines: tuple[str, ...]
    outside: tuple[str, ...]
    foreign: bool
    counted: bool
    """True when the size holds a count of the provider, with the system text and the tools."""


def folded_view(log: Sequence[Entry], profile: ModelProfile, person: int) -> FoldedView:
    """Returns the view of a log for a turn of this person."""
    fold = ViewFold(profile)
    fold.extend(log)
    entries = list(uncovered(reversed(log)))[::-1]
    sources = dict.fromkeys(foreign_to(person, (entry,)) for entry in entries)
    outside = tuple(source for source in sources if source)
    lines = tuple(_lines(log, entries, fold))
    foreign = fold.untrusted_for(person) is not None
    return FoldedView(fold.estimate, lines, outside, foreign, fold.counted)


def newest_epoch(log: Sequence[Entry]) -> str:
    """Returns the epoch in which the newest reply was made; empty where there is none."""
    replies = (entry.body for entry in reversed(log) if isinstance(entry.body, ReplyBody))
    return next((reply.provenance.epoch.partition("+")[0] for reply in replies), "")


def _lines(log: Sequence[Entry], seen: Sequence[Entry], fold: ViewFold) -> Iterator[str]:
    """Yields what is in view, in words; nothing where nothing was said."""
    whole = [entry.body for entry in seen if isinstance(entry.body, AskerBody)]
    summary = next((e.body for e in seen if isinstance(e.body, SummaryBody)), None)
    if whole or summary is not None:
        yield f"{counted(len(whole), 'message')} in full{_summed(log, summary)}"
    if fold.skill is not None and fold.skill[0]:
        yield f"The skill {plain_name(fold.skill[0])}"
    passages = sum(len(e.body.passages) for e in seen if isinstance(e.body, RecallBody))
    if passages:
        yield f"{counted(passages, 'passage')} from earlier answers"
    if pictures := sum(len(body.images) for body in whole):
        yield counted(pictures, "picture")


def _summed(log: Sequence[Entry], summary: SummaryBody | None) -> str:
    if summary is None:
        return ""
    older = [e for e in log if e.seq <= summary.covers and isinstance(e.body, AskerBody)]
    return f", {len(older)} older {'one' if len(older) == 1 else 'ones'} as a summary"


def rule_told(rule: Rule) -> str:
    """Returns what a rule lets run, or the origin that it trusts."""
    if isinstance(rule.pattern, OriginRule):
        return f"Trusted: {rule.pattern.origin}"
    told, skill = describe(rule.tool, rule.pattern), rule.under.partition("@")[0]
    return f"{told}, while the skill {skill} is in use" if skill else told


def can_pause(rules: Sequence[Rule]) -> bool:
    """Returns True where any of the rules is paused by text from outside."""
    return any(not isinstance(one.pattern, OriginRule) for one in rules)
