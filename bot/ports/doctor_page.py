"""The report of the doctor, as a page for owners shows it."""

from datetime import datetime
from typing import Protocol

from bot.domain.value import frozen


@frozen
class DoctorLine:
    """One thing that was tried out."""

    subject: str
    level: str
    """`ok`, `warn` or `fail`."""
    sentence: str
    mend: str
    """The remedy; empty where all is well."""


@frozen
class DoctorReport:
    at: datetime
    lines: tuple[DoctorLine, ...]
    next: str
    """The one thing to do next, or the reason why there is no report."""


class Doctor(Protocol):
    @property
    def report(self) -> DoctorReport | None:
        """Returns the newest report of this run; None before the first one."""
        ...

    @property
    def looking(self) -> bool:
        """Returns True while it looks."""
        ...

    async def look(self) -> None:
        """Begins to look, unless it does already, and waits some seconds for the report."""
        ...
