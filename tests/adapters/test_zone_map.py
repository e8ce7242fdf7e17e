"""The time zones of places, looked up in a process."""

import pytest

from bot.adapters.tzfpy.zone_map import zones_at
from bot.domain.talk.geo_point import GeoPoint, point_in


@pytest.mark.parametrize(
    ("latitude", "longitude", "zones"),
    [
        (38.72, -9.14, {"Europe/Lisbon"}),
        (19.07, 72.88, {"Asia/Kolkata"}),
        (35.05, -85.31, {"America/New_York"}),
        (43.82, 87.61, {"Asia/Shanghai", "Asia/Urumqi"}),
        (999.0, 0.0, set[str]()),
    ],
)
async def test_a_place_has_its_zones(latitude: float, longitude: float, zones: set[str]) -> None:
    assert set(await zones_at(latitude, longitude)) == zones


@pytest.mark.parametrize(
    ("text", "at"),
    [
        ("[location: latitude 48.2, longitude 16.37]", GeoPoint(48.2, 16.37)),
        ("[location: latitude -1e-05, longitude -180]", GeoPoint(-1e-05, -180.0)),
        ("[location: latitude 91, longitude 0]", None),
        ("[location: latitude e, longitude 0]", None),
        ("[location]", None),
        ("Lisbon", None),
    ],
)
def test_a_place_is_read_from_the_words_of_a_location(text: str, at: GeoPoint | None) -> None:
    assert point_in(text) == at
