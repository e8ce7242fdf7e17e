"""Times that were set by a clock which may have been set back since."""

from datetime import datetime, timedelta


def is_ahead(at: datetime, now: datetime, longest: timedelta) -> bool:
    """Returns True while a pause until this time goes on, of those that last so long at most.

    A time that is farther away was set by a clock that was ahead: nobody waits for hours then.
    """
    return now < at <= now + longest
