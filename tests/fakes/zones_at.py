"""A map of time zones with the places that a test names."""

from collections.abc import Collection
from dataclasses import dataclass, field


@dataclass
class FakeZonesAt:
    known: dict[tuple[float, float], Collection[str]] = field(
        default_factory=dict[tuple[float, float], Collection[str]]
    )

    async def __call__(self, latitude: float, longitude: float) -> Collection[str]:
        return self.known.get((latitude, longitude), ())
