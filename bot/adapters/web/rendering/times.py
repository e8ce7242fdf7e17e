"""Times as a page shows them."""

from datetime import datetime

from bot.domain.clock.span import span


def clock(at: datetime) -> str:
    """Returns the hour and the minute of a time in its own zone."""
    return at.strftime("%H:%M")


def day(at: datetime) -> str:
    """Returns a day in words."""
    now = datetime.now(at.tzinfo).date()
    if at.date() == now:
        return "Today"
    year = "" if at.year == now.year else f" {at.year}"
    return f"{at:%A}, {at.day} {at:%B}{year}"


def left(at: datetime) -> str:
    """Returns the time that is left until then, in words; a script counts it down."""
    return span(seconds_left(at))


def seconds_left(at: datetime) -> int:
    return max(int((at - datetime.now(at.tzinfo)).total_seconds()), 0)


def by_clock(at: datetime) -> str:
    """Returns the clock of a time of today, and else its day before it."""
    return clock(at) if at.date() == datetime.now(at.tzinfo).date() else f"{at:%a %d %b, %H:%M}"


def recent(at: datetime) -> str:
    """Returns the clock of a time of today, and the day of another one."""
    now = datetime.now(at.tzinfo).date()
    if at.date() == now:
        return clock(at)
    within_a_week = (now - at.date()).days < 7
    return f"{at:%a} {at.day}" if within_a_week else f"{at.day} {at:%b}"


def machine_time(at: datetime) -> str:
    """Returns a time as the `datetime` of an element has it."""
    return at.isoformat(timespec="seconds")
