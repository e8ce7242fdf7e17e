"""The program that dies once at a boundary of a turn on the page, which a file names."""

import os
import signal
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bot.__main__ import main
from bot.adapters.telegram.channel import TelegramChannel
from bot.adapters.tools.writing_files import WriteFile, WriteFileArguments
from bot.adapters.web.channel import PageChannel
from bot.adapters.web.update import Uploaded
from bot.adapters.web.uploads import Uploads
from bot.domain.talk.message import Address, Piece, RawUpdate
from bot.flow.arrivals.intake import Intake
from bot.ports.tool import Place, Seen, ToolOutput

DEATH_FILE = "STEWARD_TEST_DEATH_FILE"
"""Names the file with the moment at which it dies, as in “stored” or “sent”."""

ANSWER = "The answer."
ECHO = "wrote on the page: "
"""Begins the words by which a phone learns what was said on the page in its chat."""


def die(moment: str) -> None:
    fate = Path(os.environ[DEATH_FILE])
    if fate.exists() and fate.read_text() == moment:
        fate.unlink()
        os.kill(os.getpid(), signal.SIGKILL)


def begin() -> None:
    accept = Intake.accept

    async def accepting(self: Intake, channel: str, updates: Sequence[RawUpdate]) -> None:
        # A form has come whole; its answer is sent when this is over.
        if updates and channel == "web":
            die("unstored")
        await accept(self, channel, updates)
        if updates and channel == "web":
            die("stored")

    Intake.accept = accepting


def bring() -> None:
    keep, send = Uploads.keep, TelegramChannel.send

    async def keeping(self: Uploads, file: Any, key: str, number: int) -> Uploaded:
        kept = await keep(self, file, key, number)
        # The file is there, and the row of its message is not.
        die("kept")
        return kept

    async def echoing(self: TelegramChannel, to: Address, piece: Piece, *, once: str = "") -> str:
        echoes = ECHO in str(piece.body)
        if echoes:
            die("echo owed")
        message_id = await send(self, to, piece, once=once)
        if echoes:
            die("echo sent")
        return message_id

    Uploads.keep, TelegramChannel.send = keeping, echoing


def start() -> None:
    send, perform = PageChannel.send, WriteFile.perform

    async def sending(self: PageChannel, to: Address, piece: Piece, *, once: str = "") -> str:
        answers = ANSWER in str(piece.body)
        if answers:
            # Its row stands in the outbox.
            die("owed")
        message_id = await send(self, to, piece, once=once)
        if answers:
            die("sent")
        return message_id

    async def performing(
        self: WriteFile, arguments: WriteFileArguments, place: Place, seen: Seen
    ) -> ToolOutput:
        die("begun")
        output = await perform(self, arguments, place, seen)
        die("done")
        return output

    PageChannel.send, WriteFile.perform = sending, performing
    begin()
    bring()
    main()


if __name__ == "__main__":
    start()
