"""Tells what the model has in view in a chat now, and which rules of the reader count there."""

import asyncio
from collections.abc import Callable, Sequence
from datetime import datetime

from bot.domain.clock.span import span
from bot.domain.plans.plan import Plan
from bot.domain.talk.chat import Chat
from bot.domain.talk.person import Person
from bot.domain.text.visible_text import one_line, visible
from bot.domain.tools.call_words import Conceal
from bot.domain.value import frozen
from bot.flow.inspection.places import Places, plan_named
from bot.flow.inspection.view_folded import can_pause, folded_view, newest_epoch, rule_told
from bot.flow.models.choosing import Choosing
from bot.flow.world import StorePorts
from bot.ports.journal import Journal
from bot.ports.view_page import OpenLine, SeenNow

_MOST = 8
"""Lines of each list."""

_LONGEST = 100
_COUNTED = (
    "The provider's newest count, with the system text and the tools, and an estimate of what came "
    "since."
)
_ESTIMATED = "Estimated, with the system text and the tools."
_WITHOUT = "Estimated, without the system text and the tools."


@frozen
class ViewInspection:
    """Folds the view of a chat from its rows when somebody looks."""

    _store: StorePorts
    _journal: Journal
    _choosing: Choosing
    _places: Callable[[], Places]
    _now: Callable[[], datetime]
    _conceal: Conceal
    _static: Callable[[str], int | None]
    """Returns the tokens of the system text and the tools of an epoch; None if not known."""

    async def view(self, reader: Person, chat: Chat, after: int = 0) -> SeenNow:
        log = await self._journal.entries(chat.conversation, after)
        profile = self._choosing.profile(self._choosing.model(chat.settings.model))
        # A long log takes a while, and others talk meanwhile.
        seen = await asyncio.to_thread(folded_view, log, profile, reader.id)
        static = None if seen.counted else self._static(newest_epoch(log))
        how = _COUNTED if seen.counted else _WITHOUT if static is None else _ESTIMATED
        rules = await self._store.rules.of(reader.id, chat.id)
        return SeenNow(
            seen.tokens + (static or 0),
            profile.window,
            (*seen.lines, *_more(len(seen.outside))),
            tuple(self._line(one) for one in seen.outside[:_MOST]),
            tuple(self._line(rule_told(rule)) for rule in rules[:_MOST]) + tuple(_more(len(rules))),
            seen.foreign and can_pause(rules),
            await self._waits(reader),
            how if seen.lines else "",
        )

    async def _waits(self, reader: Person) -> tuple[OpenLine, ...]:
        whose = None if reader.is_owner else reader.id
        records = self._store.records
        cards = await records.open(whose, None, _MOST)
        plans = await records.plans(whose, None, _MOST)
        waiting = sorted((*cards, *plans), key=lambda one: one.created_at)[:_MOST]
        places, now = self._places(), self._now()
        await places.read(one.chat for one in waiting)
        return tuple(
            OpenLine(
                one.id,
                plan_named(one.title, self._conceal)
                if isinstance(one, Plan)
                else self._line(one.preview.title),
                f"{places.of(one.chat)} · {span((now - one.created_at).total_seconds())} old",
            )
            for one in waiting
        )

    def _line(self, text: str) -> str:
        return visible(one_line(self._conceal(text), _LONGEST))


def _more(count: int) -> Sequence[str]:
    return (f"… and {count - _MOST} more",) if count > _MOST else ()
