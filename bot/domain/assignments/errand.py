"""Errands: tasks that a turn gives to turns of their own, and waits for."""

import hashlib
from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum
from typing import Any

from bot.domain.assignments.unwatched import is_unwatched, late_turn
from bot.domain.talk.message import Address, FileRef
from bot.domain.text.visible_text import one_line
from bot.domain.tools.tool import Status
from bot.domain.value import frozen, replace

DELEGATE = "delegate"
"""The tool that sends an errand out."""

CHANNEL = "errand"
"""The name of the channel in the addresses of homes; no platform has it."""

NOT_GIVEN = frozenset(
    {DELEGATE, "submit_plan", "end_conversation", "send_file", "remember", "forget"}
)
"""Tools that no errand gets: it speaks with its parent alone, and changes no memory."""

LONGEST_TITLE = 60
"""Characters of a task in a line for people."""


class ErrandState(StrEnum):
    """The state of an errand; a waiting one needs a person's decision about a card, or it rests."""

    WORKING = "working"
    WAITING = "waiting"
    DONE = "done"


@frozen
class ErrandResult:
    """The answer of an errand, as the call of its parent gets it."""

    status: Status
    text: str
    untrusted: str | None = None
    """The foreign source that the errand has read."""
    files: tuple[FileRef, ...] = ()
    lent: str | None = None
    """The source that its asker alone trusts: to others of a group it is foreign."""


@frozen
class Errand:
    """A task with its own turn, in a chat that is its home."""

    id: str
    """Names the errand and its turn."""
    home: int
    """The chat in which its turn works."""
    chat: int
    """The chat of its parent, which shows its cards."""
    conversation: str
    """The conversation of its parent."""
    parent: str
    """The turn that sent it out."""
    call: str
    """The id of the call that waits for it."""
    asker: int
    """The person in whose name it works."""
    asker_name: str
    """The name of that person."""
    task: str
    """The words that it works on."""
    created_at: datetime
    """The time it was sent out."""
    state: ErrandState = ErrandState.WORKING
    """The stage of its life."""
    set_aside: bool = False
    """True once its parent has ended without it because of a new message."""
    recalled: bool = False
    """True once nobody waits for it any more: it shall stop."""
    taken: bool = False
    """True once its result is in the log of its parent, or nobody wants it."""
    result: ErrandResult | None = None
    """Its answer; None until it is done."""
    ended_at: datetime | None = None
    """The time it was done."""
    version: int = 1
    """Grows with each change."""

    @property
    def done(self) -> bool:
        return self.state is ErrandState.DONE

    @property
    def late_turn(self) -> str:
        """Returns the id of the turn that brings the result after the parent's end."""
        return late_turn(self.id, unwatched=is_unwatched(self.parent))

    @property
    def title(self) -> str:
        """Returns the task as one short line."""
        return titled(self.task)

    def amended(self, **changes: Any) -> "Errand":
        """Returns the next version of the row."""
        return replace(self, version=self.version + 1, **changes)

    def called_back(self) -> "Errand":
        """Returns the row once nobody waits for the errand any more."""
        return self.amended(recalled=True, taken=True)


def titled(task: str) -> str:
    """Returns a task as one short line."""
    return one_line(" ".join(task.split()), LONGEST_TITLE)


def errand_id(turn: str, call: str) -> str:
    """Returns the id of the errand of this call: always the same, so that it exists once."""
    return hashlib.sha256(f"{turn}\n{call}".encode("utf-8", "replace")).hexdigest()[:16]


def home_of(errand: str) -> Address:
    """Returns the address of an errand's home."""
    return Address(CHANNEL, errand)


def asks_person(tool: str, arguments: Mapping[str, Any] | None) -> bool:
    """Returns true for a call that puts a question to the person."""
    return tool == "send_message" and bool((arguments or {}).get("is_question"))
