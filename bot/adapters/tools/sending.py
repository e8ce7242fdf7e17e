"""The tools that send something to the chat: send_file and send_message."""

import hashlib
import os
from collections.abc import Collection
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Annotated, TypeVar

from pydantic import AfterValidator, Field
from pydantic_core import PydanticCustomError

from bot.adapters.tools.thread_work import StopSign, in_thread
from bot.adapters.tools.workspace import Workspace, located
from bot.domain.talk.errors import ToolFailure
from bot.domain.talk.message import FileRef, Markdown, Outbound, OutboundKind, Plain
from bot.domain.text.visible_text import shown_name, size, visible
from bot.domain.tools.deed_words import file_name
from bot.domain.tools.deeds import deed_of
from bot.domain.tools.tool import AskPerson, ExactRule, Preview, Replay, ToolOutput, ToolSpec
from bot.ports.arguments_tool import Arguments, ArgumentsTool, Text
from bot.ports.tool import Place, Seen

LARGEST_FILE = 50_000_000
"""Bytes of a file; channels accept no larger one from a bot."""

_CHUNK = 1 << 18


def clear_spool(spool: Path, before: datetime, besides: Collection[str]) -> None:
    """Deletes copies that are older, but for those that messages are still to bring."""
    oldest = before.timestamp()
    # A folder that was made a moment ago gets its copy at once.
    old = [folder for folder in spool.glob("*/") if folder.stat().st_mtime < oldest]
    for copy in spool.glob("*/*"):
        if copy.is_file() and copy.stat().st_mtime < oldest and str(copy) not in besides:
            copy.unlink(missing_ok=True)
    for folder in old:
        with suppress(OSError):
            folder.rmdir()


A = TypeVar("A", bound=Arguments)


class _SendingTool(ArgumentsTool[A]):
    """Sends by rows in the transaction of its result; in plan mode it is a step."""

    replay = Replay.OUTBOX

    def completed(self, spec: ToolSpec) -> ToolSpec:
        return replace(spec, planned=True)


class SendFileArguments(Arguments):
    path: Annotated[Text, Field(description="File in the workspace, at most 50 MB.")]
    caption: Annotated[Text | None, Field(max_length=1000, description="A line shown with it.")] = (
        None
    )


class SendFile(_SendingTool[SendFileArguments]):
    """Sends a copy of a file as it is now, so that a later change does not matter.

    The copies lie below `spool`, in a folder for each call; a repeated call replaces its copy.
    """

    name = "send_file"
    summary = "send you a file"
    description = "Send a file of the workspace to the person; a picture is shown in the chat."
    takes = SendFileArguments

    def __init__(self, spool: Path, largest: int = LARGEST_FILE) -> None:
        self._spool = spool
        self._largest = largest

    async def foresee(
        self, arguments: SendFileArguments, place: Place, exact: ExactRule
    ) -> Preview:
        """Returns the step of a plan that sends the file as it will be then."""
        del exact
        workspace, names = located(place.workspace, arguments.path)
        if await in_thread(lambda _: workspace.state(names)) is None:
            raise ToolFailure("this file does not exist yet")
        shown, caption = file_name("/".join(names)), arguments.caption
        blocks = (Plain(f"with the line “{visible(caption)}”"),) if caption else ()
        return Preview(
            title=f"Send {shown}",
            subject=f"Send {shown}",
            effect=self.spec.effect,
            blocks=blocks,
            done=f"{shown} sent",
        )

    async def perform(self, arguments: SendFileArguments, place: Place, seen: Seen) -> ToolOutput:
        workspace, names = located(place.workspace, arguments.path)
        copy = await in_thread(lambda sign: self._copy(workspace, names, place, sign))
        name = shown_name(names[-1])
        origin = str(place.workspace.joinpath(*names))
        file = FileRef(str(copy), name, arguments.caption or "", origin=origin)
        return ToolOutput(
            f"{name} ({size(copy.stat().st_size)}) is on its way to the chat.",
            sends=(Outbound(OutboundKind.NOTICE, (), files=(file,)),),
        )

    def _copy(
        self, workspace: Workspace, names: tuple[str, ...], place: Place, sign: StopSign
    ) -> Path:
        key = f"{place.chat}/{place.turn}/{place.call_id}"
        folder = self._spool / hashlib.sha256(key.encode()).hexdigest()[:32]
        with workspace.opened(names) as (descriptor, found):
            if found.st_size > self._largest:
                raise ToolFailure(
                    f"{shown_name(names[-1])} has {size(found.st_size)}; "
                    f"at most {size(self._largest)} can be sent"
                )
            if not found.st_size:
                raise ToolFailure(f"{shown_name(names[-1])} is empty; it cannot be sent")
            try:
                folder.mkdir(parents=True, exist_ok=True, mode=0o700)
                self._fill(folder / "content", descriptor, sign)
            except OSError as fault:
                raise ToolFailure(
                    f"the file cannot be kept for sending: {fault.strerror}"
                ) from fault
        return folder / "content"

    def _fill(self, copy: Path, descriptor: int, sign: StopSign) -> None:
        room = self._largest
        with copy.open("wb") as target:
            while chunk := os.read(descriptor, _CHUNK):
                sign.heed()
                room -= len(chunk)
                if room < 0:
                    raise ToolFailure("the file grew beyond what can be sent")
                target.write(chunk)
            target.flush()
            os.fsync(target.fileno())


def _one_choice(text: str) -> str:
    """Returns a choice on one line, as a button shows it."""
    line = " ".join(visible(text).split())
    if not line:
        raise PydanticCustomError("blank", "is blank")
    return line


Choice = Annotated[Text, Field(min_length=1, max_length=40), AfterValidator(_one_choice)]
"""A short answer that a button holds."""


class SendMessageArguments(Arguments):
    message: Annotated[Text, Field(min_length=1, max_length=20_000, description="Markdown.")]
    is_question: Annotated[
        bool | None, Field(description="True ends your turn and waits for the person's answer.")
    ] = None
    choices: Annotated[
        list[Choice] | None,
        Field(
            min_length=1,
            max_length=6,
            description="With is_question: short answers as buttons. Any other may be typed.",
        ),
    ] = None


class SendMessage(_SendingTool[SendMessageArguments]):
    """Sends a message now, or ends the turn with a question.

    This tool does not send a question: it is the turn's outcome and is delivered as such, once.
    """

    name = "send_message"
    summary = "send you a message, or ask you something"
    description = (
        "Send the person a message before your final answer: news of long work, or with "
        "is_question something only they can decide. The final answer itself needs no tool."
    )
    takes = SendMessageArguments

    async def foresee(
        self, arguments: SendMessageArguments, place: Place, exact: ExactRule
    ) -> Preview:
        """Returns the step of a plan that sends the message; a question is asked at once."""
        del place, exact
        subject = deed_of(self.spec.name, {"message": arguments.message})
        return Preview(
            title=subject,
            subject=subject,
            effect=self.spec.effect,
            blocks=(Plain(visible(arguments.message)),),
            done="Message sent",
            at_once=bool(arguments.is_question),
        )

    async def perform(
        self, arguments: SendMessageArguments, place: Place, seen: Seen
    ) -> ToolOutput:
        if not arguments.message.strip():
            raise ToolFailure("the message is blank")
        choices = tuple(arguments.choices or ())
        if arguments.is_question:
            if len(set(choices)) < len(choices):
                raise ToolFailure("two of the choices are the same")
            return ToolOutput(
                "The question was put to the person; the answer comes as their next message.",
                after=AskPerson(arguments.message, choices),
            )
        if choices:
            raise ToolFailure("choices belong to a question: set is_question as well")
        # News during a turn is silent; the answer at its end makes a sound.
        message = Outbound(OutboundKind.NOTICE, (Markdown(arguments.message),), silent=True)
        return ToolOutput("The message is on its way to the chat.", sends=(message,))
