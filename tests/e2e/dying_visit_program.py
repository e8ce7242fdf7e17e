"""The program that dies once at a boundary of a visitor's turn, which a file names."""

import os
import signal
from collections.abc import Sequence
from pathlib import Path

from bot.__main__ import main
from bot.adapters.home_door.visit import Visit
from bot.domain.consent.own_search import SWITCH_ON
from bot.domain.talk.message import Address, Piece, RawUpdate
from bot.flow.arrivals.heeding import Heeding
from bot.flow.arrivals.intake import Intake
from bot.flow.queue.arrival import Arrival

DEATH_FILE = "STEWARD_TEST_DEATH_FILE"
"""Names the file with the moment at which it dies, as in “stored” or “unconfirmed”."""

ANSWER = "The answer."


def die(moment: str) -> None:
    fate = Path(os.environ[DEATH_FILE])
    if fate.exists() and fate.read_text() == moment:
        fate.unlink()
        os.kill(os.getpid(), signal.SIGKILL)


def share() -> None:
    mirror, heed = Visit.mirror, Heeding.heed

    async def mirroring(
        self: Visit, message_id: str, version: int, piece: Piece, *, old: bool
    ) -> None:
        await mirror(self, message_id, version, piece, old=old)
        if ANSWER in str(piece.body):
            die("unconfirmed")

    async def heeding(self: Heeding, arrival: Arrival) -> None:
        # The words of a terminal are owed to the phone by now, and nothing else is done.
        die("echoed")
        await heed(self, arrival)

    Visit.mirror, Heeding.heed = mirroring, heeding


def start() -> None:
    accept, send = Intake.accept, Visit.send

    async def accepting(self: Intake, channel: str, updates: Sequence[RawUpdate]) -> None:
        if updates:
            die("unstored")
        await accept(self, channel, updates)
        if updates:
            die("stored")

    async def sending(self: Visit, to: Address, piece: Piece, *, once: str = "") -> str:
        answers = ANSWER in str(piece.body)
        if answers:
            die("recorded")
        message_id = await send(self, to, piece, once=once)
        if SWITCH_ON in str(piece.body):
            die("offered")
        if answers:
            # It is on the visitor's screen, and nothing of that is written down.
            die("unconfirmed")
        return message_id

    Intake.accept, Visit.send = accepting, sending
    share()
    main()


if __name__ == "__main__":
    start()
