"""A place on the earth, as a channel puts a shared location into words."""

import re

from bot.domain.value import frozen


@frozen
class GeoPoint:
    """A place, in degrees."""

    latitude: float
    longitude: float


_SHARED = re.compile(r"\[location: latitude (-?[\d.e-]{1,12}), longitude (-?[\d.e-]{1,12})\]")


def point_in(text: str) -> GeoPoint | None:
    """Returns the place that a shared location names; None for other words."""
    found = _SHARED.fullmatch(text.strip())
    if found is None:
        return None
    try:
        latitude, longitude = float(found[1]), float(found[2])
    except ValueError:
        return None
    good = abs(latitude) <= 90 and abs(longitude) <= 180
    return GeoPoint(latitude, longitude) if good else None
