"""The port for an operator, and the counting it tells of; nothing of it without the setting."""

import asyncio
import logging
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from bot.bootstrap.door_form import Inside, Serving
from bot.bootstrap.opening import Counted
from bot.doctor import Check, Finding
from bot.ports.model import Model
from bot.settings import Settings

if TYPE_CHECKING:
    from bot.adapters.metrics.counts import Counts

SETTING = "STEWARD_METRICS_LISTEN"
_LOG = logging.getLogger(__name__)


class MetricsForm:
    """/healthz, /readyz and /metrics on a port of their own."""

    def __init__(self, serving: Serving) -> None:
        self._serving = serving
        self._counts: Counts | None = None

    def counted(self, settings: Settings) -> Counted:
        """Begins to count for one run; returns what counts the calls of its models."""
        self._counts = None
        if settings.metrics_listen is None:
            return _as_they_are
        # Only a run with the port loads the library.
        from bot.adapters.metrics.counted_model import CountedModel
        from bot.adapters.metrics.counts import Counts

        counts = self._counts = Counts()
        return lambda models: {
            name: CountedModel(model, name, counts.called) for name, model in models.items()
        }

    async def keep_open(self, settings: Settings, inside: Inside) -> None:
        port, counts = settings.metrics_listen, self._counts
        if port is None or counts is None:
            return
        from bot.adapters.metrics.door import PATH, MetricsDoor
        from bot.bootstrap.metrics_look import Look

        inside.store.written.listen(counts.committed, counts.delivered)
        look = Look(inside, counts)
        async with self._serving(MetricsDoor(look.lacking, look.told), PATH, port, SETTING) as at:
            _LOG.info("numbers for operators are on 127.0.0.1:%d", at)
            await asyncio.Event().wait()

    def checks(self, settings: Settings) -> Sequence[Check | Finding]:
        return ()


def _as_they_are(models: Mapping[str, Model]) -> Mapping[str, Model]:
    return models
