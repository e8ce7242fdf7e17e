"""Times as a page shows them."""

from datetime import datetime


def clock(at: datetime) -> str:
    """Returns the hour and the minute of a time in its own zone."""
    return at.strftime("%H:%M")


def day(at: datetime) -> str:
    """Returns a day in words."""
    return f"{at:%A}, {at.day} {at:%B %Y}"


def machine_time(at: datetime) -> str:
    """Returns a time as the `datetime` of an element has it."""
    return at.isoformat(timespec="seconds")
