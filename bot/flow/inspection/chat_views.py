"""Tells what the model has in view in a chat now, and which rules of the reader count there."""

import asyncio
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime

from bot.domain.clock.span import span
from bot.domain.consent.approval import Rule
from bot.domain.consent.rules import describe
from bot.domain.money.model import ModelProfile
from bot.domain.talk.chat import Chat
from bot.domain.talk.person import Person
from bot.domain.text.names import plain_name
from bot.domain.text.visible_text import one_line, visible
from bot.domain.tools.call_words import Conceal
from bot.domain.tools.tool import OriginRule
from bot.domain.turn.transcript import AskerBody, Entry, RecallBody, SummaryBody, uncovered
from bot.domain.value import frozen
from bot.flow.commanding.wording import counted
from bot.flow.inspection.places import Places
from bot.flow.log.request_view import ViewFold, foreign_to
from bot.flow.models.choosing import Choosing
from bot.flow.world import StorePorts
from bot.ports.journal import Journal
from bot.ports.view_page import InView, OpenLine

_MOST = 8
"""Lines of each list."""

_LONGEST = 100


@frozen
class ViewInspection:
    """Folds the view of a chat from its rows when somebody looks."""

    _store: StorePorts
    _journal: Journal
    _choosing: Choosing
    _places: Callable[[], Places]
    _now: Callable[[], datetime]
    _conceal: Conceal

    async def view(self, reader: Person, chat: Chat) -> InView:
        log = await self._journal.entries(chat.conversation)
        profile = self._choosing.profile(self._choosing.model(chat.settings.model))
        # A long log takes a while, and others talk meanwhile.
        seen = await asyncio.to_thread(_folded, log, profile, reader.id)
        rules = await self._store.rules.of(reader.id, chat.id)
        return InView(
            seen.tokens,
            profile.window,
            (*seen.lines, *_more(len(seen.outside))),
            tuple(self._line(one) for one in seen.outside[:_MOST]),
            tuple(self._line(_told(rule)) for rule in rules[:_MOST]) + tuple(_more(len(rules))),
            seen.foreign and any(not isinstance(one.pattern, OriginRule) for one in rules),
            await self._waits(reader),
        )

    async def _waits(self, reader: Person) -> tuple[OpenLine, ...]:
        whose = None if reader.is_owner else reader.id
        cards = await self._store.records.open(whose, None, _MOST)
        places, now = self._places(), self._now()
        await places.read(card.chat for card in cards)
        return tuple(
            OpenLine(
                card.id,
                self._line(card.preview.title),
                f"{places.of(card.chat)} · {span((now - card.created_at).total_seconds())}",
            )
            for card in cards
        )

    def _line(self, text: str) -> str:
        return visible(one_line(self._conceal(text), _LONGEST))


@frozen
class _Folded:
    tokens: int
    lines: tuple[str, ...]
    outside: tuple[str, ...]
    foreign: bool


def _folded(log: Sequence[Entry], profile: ModelProfile, person: int) -> _Folded:
    fold = ViewFold(profile)
    fold.extend(log)
    entries = list(uncovered(reversed(log)))[::-1]
    sources = dict.fromkeys(foreign_to(person, (entry,)) for entry in entries)
    outside = tuple(source for source in sources if source)
    lines = tuple(_lines(log, entries, fold))
    return _Folded(fold.estimate, lines, outside, fold.untrusted_for(person) is not None)


def _lines(log: Sequence[Entry], seen: Sequence[Entry], fold: ViewFold) -> Iterator[str]:
    """Yields what is in view, in words; nothing where nothing was said."""
    whole = [entry.body for entry in seen if isinstance(entry.body, AskerBody)]
    summary = next((e.body for e in seen if isinstance(e.body, SummaryBody)), None)
    if whole or summary is not None:
        yield f"{counted(len(whole), 'message')} whole{_summed(log, summary)}"
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


def _more(count: int) -> Sequence[str]:
    return (f"… and {count - _MOST} more",) if count > _MOST else ()


def _told(rule: Rule) -> str:
    if isinstance(rule.pattern, OriginRule):
        return f"Trusted: {rule.pattern.origin}"
    told, skill = describe(rule.tool, rule.pattern), rule.under.partition("@")[0]
    return f"{told}, while the skill {skill} is in use" if skill else told
