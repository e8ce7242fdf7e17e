"""A stretch of time in words."""

_MINUTE, _HOUR, _DAY = 60, 3_600, 86_400
_SHORT = 9.95
"""Seconds below which a tenth of one counts."""


def span(seconds: float) -> str:
    """Returns a stretch of time in its two largest units, as in “2 h 5 min”."""
    if seconds < _MINUTE:
        return "less than a minute"
    whole = int(seconds)
    if whole >= _DAY:
        days = "1 day" if whole < 2 * _DAY else f"{whole // _DAY} days"
        return _two(days, whole % _DAY // _HOUR, "h")
    if whole >= _HOUR:
        return _two(f"{whole // _HOUR} h", whole % _HOUR // _MINUTE, "min")
    return f"{whole // _MINUTE} min"


def _two(larger: str, smaller: int, unit: str) -> str:
    return f"{larger} {smaller} {unit}" if smaller else larger


def lasting(seconds: float, *, roughly: bool = False) -> str:
    """Returns a duration in words, as in “50 minutes”; it is never shorter than the truth.

    It counts in a unit from two of it on; `roughly` rounds up to two as soon as one is over.
    """
    for unit, name in ((_HOUR, "hour"), (_MINUTE, "minute")):
        if seconds >= 2 * unit or (roughly and seconds > unit):
            return f"{-int(-seconds // unit)} {name}s"
    count = max(1, -int(-seconds // 1))
    return "1 second" if count == 1 else f"{count} seconds"


def took(seconds: float) -> str:
    """Returns a short duration as figures have it: “under 1 s”, “41 s”, “2 min 5 s”."""
    whole = round(seconds)
    if whole < 1:
        return "under 1 s"
    return f"{whole} s" if whole < _MINUTE else f"{whole // _MINUTE} min {whole % _MINUTE} s"


def figure(seconds: float) -> str:
    """Returns a duration to compare with others: “4 ms”, “1.9 s”, “12 min 22 s”, “3 h 5 min”."""
    seconds = max(seconds, 0.0)
    if seconds < 1:
        return f"{round(seconds * 1_000)} ms"
    if seconds < _SHORT:
        return f"{seconds:.1f} s"
    return took(seconds) if seconds < _HOUR else span(seconds)
