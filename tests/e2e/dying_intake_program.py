"""The program that dies once where updates arrive: before they are stored, or right after."""

import os
import signal
from collections.abc import Sequence
from pathlib import Path

from bot.__main__ import main
from bot.domain.talk.message import RawUpdate
from bot.flow.arrivals.intake import Intake

DEATH_FILE = "STEWARD_TEST_DEATH_FILE"
"""Names the file that holds the moment, “before” or “after”; without it nothing happens."""


def start() -> None:
    fate, accept = Path(os.environ[DEATH_FILE]), Intake.accept

    def die(moment: str) -> None:
        if fate.exists() and fate.read_text() == moment:
            fate.unlink()
            os.kill(os.getpid(), signal.SIGKILL)

    async def dying(self: Intake, channel: str, updates: Sequence[RawUpdate]) -> None:
        if updates:
            die("before")
        await accept(self, channel, updates)
        if updates:
            die("after")

    Intake.accept = dying
    main()


if __name__ == "__main__":
    start()
