"""The clock of a steward, which a test sets."""

from tests.e2e.clocked_program import CLOCK_FILE
from tests.e2e.steward import Steward


class Times:
    """Sets the clock of a steward, ahead of the machine's, while it runs or while it is dead."""

    def __init__(self, steward: Steward) -> None:
        self._file = steward.folder / "clock.txt"
        self._ahead = 0
        steward.settings[CLOCK_FILE] = str(self._file)
        steward.module = "tests.e2e.clocked_program"

    def move(self, seconds: int) -> None:
        """Sets the clock on, or back."""
        self._ahead += seconds
        beside = self._file.with_suffix(".new")
        beside.write_text(str(self._ahead))
        beside.replace(self._file)
