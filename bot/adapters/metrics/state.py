"""The state of a run at the moment when somebody asks: gauges, made anew for each answer."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.metrics_core import CounterMetricFamily, GaugeMetricFamily, Metric

from bot.domain.talk.hold import Holds


@dataclass(frozen=True, slots=True, eq=False)
class State:
    """Holds what stands now; a store that does not answer has no queues."""

    version: str
    queues: Sequence[tuple[str, int, float | None]] | None
    """Each queue with its length and the seconds that its oldest entry has waited."""
    works: bool
    """True while the database answers, and nobody waits for it."""
    platforms: Mapping[str, bool]
    holds: Holds
    lag: float
    began: datetime

    def collect(self) -> Iterator[Metric]:
        """Yields the families of numbers, as the library wants them from a collector."""
        yield _gauge("steward_build_info", "The version.", {self.version: 1.0}, "version")
        yield _one("steward_start_time_seconds", "When the run began.", self.began.timestamp())
        yield _one("steward_database_up", "1 if it answers and takes writes.", float(self.works))
        waiting = {name: float(count) for name, count, _ in self.queues or ()}
        yield _gauge("steward_queue_length", "Things that wait.", waiting, "queue")
        ages = {name: age or 0.0 for name, _, age in self.queues or ()}
        name, told = "steward_queue_oldest_seconds", "The wait of the oldest."
        yield _gauge(name, told, ages, "queue")
        reached = {name: float(there) for name, there in self.platforms.items()}
        yield _gauge("steward_channel_up", "1 if the platform is reached.", reached, "channel")
        yield CounterMetricFamily(
            "steward_loop_holds", "Times that one thing held everybody up.", value=self.holds.times
        )
        longest = self.holds.longest
        yield _one("steward_loop_hold_longest_seconds", "The longest of them.", longest)
        yield _one("steward_loop_lag_seconds", "The present wait for the event loop.", self.lag)

    def text(self, registry: CollectorRegistry) -> bytes:
        """Returns this state and the numbers of a registry in the text form of Prometheus."""
        now = CollectorRegistry()
        now.register(self)
        return generate_latest(registry) + generate_latest(now)


def _one(name: str, told: str, value: float) -> Metric:
    return GaugeMetricFamily(name, told, value=value)


def _gauge(name: str, told: str, values: Mapping[str, float], label: str) -> Metric:
    family = GaugeMetricFamily(name, told, labels=[label])
    for key, value in values.items():
        family.add_metric([key], value)
    return family
