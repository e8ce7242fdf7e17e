"""The channels and the models of the program in figures."""

from datetime import datetime, timedelta

from bot.domain.clock.span import span
from bot.domain.clock.zones import Zones
from bot.domain.money.budget import day_of
from bot.domain.money.money import told
from bot.domain.value import frozen
from bot.flow.inspection.happenings import channel_name
from bot.flow.models.choosing import Choosing
from bot.flow.world import StorePorts, World
from bot.ports.now_page import ChannelLine, ModelLine

_LATE = timedelta(seconds=10)
"""A message that is owed for longer is late."""

_MOST_MODELS = 20


@frozen
class ChannelTeller:
    """Tells what the rows and the breakers know of channels and models."""

    _store: StorePorts
    _world: World
    _choosing: Choosing
    _zones: Zones

    async def channels(self, now: datetime) -> tuple[ChannelLine, ...]:
        """Returns a line for each open channel."""
        owed = {one.channel: one for one in await self._store.records.owed()}
        heard = await self._store.records.heard_from()
        lines: list[ChannelLine] = []
        for name in self._world.channels:
            newest = heard.get(name)
            last = f"{_ago(now - newest)} ago" if newest else "nothing lately"
            waits = owed.get(name)
            late = _ago(now - waits.since) if waits and now - waits.since > _LATE else ""
            count, reached = waits.owed if waits else 0, self._world.reached.get(name)
            stands = None if reached is None else reached()
            lines.append(ChannelLine(_titled(name), last, count, late, stands))
        return tuple(lines)

    async def models(self, now: datetime) -> tuple[ModelLine, ...]:
        """Returns a line for each model that is offered or was paid today."""
        since, _ = day_of(now, self._zones.of(None))
        spent = {one.model: one for one in await self._store.ledger.spent(since)}
        away = {one.model for one in self._choosing.away()}
        names = dict.fromkeys((*self._choosing.offered(), *spent))
        lines: list[ModelLine] = []
        for name in list(names)[:_MOST_MODELS]:
            paid = spent.get(name)
            cost = 0 if paid is None else paid.cost
            calls = f"{paid.calls:,}" if paid else "0"
            stays = "no answer" if name in away else ""
            lines.append(ModelLine(name, stays, calls, "not known" if cost is None else told(cost)))
        return tuple(lines)


def _ago(passed: timedelta) -> str:
    return span(max(passed.total_seconds(), 0.0))


def _titled(name: str) -> str:
    told = channel_name(name)
    return told.removeprefix("the ").removeprefix("this ").capitalize()
