"""A change of a file that can be taken back, with the content that it replaced."""

import hashlib
from datetime import datetime
from enum import StrEnum
from typing import Any

from bot.domain.talk.button_data import ButtonCodec
from bot.domain.value import frozen, replace

ABSENT = "absent"
"""The token of a missing file."""

UNDO, REDO = "↩ Undo", "↪ Redo"


def undo_label(count: int) -> str:
    """Returns the label of a button that takes so many changes back."""
    return f"{UNDO} the change" if count == 1 else f"{UNDO} the {count} changes"


def token_of(content: bytes | None) -> str:
    """Returns the token of a content; None stands for a missing file."""
    return ABSENT if content is None else hashlib.sha256(content).hexdigest()


@frozen
class Replaced:
    """A file as it was before a tool changed it, and the token of the file as the tool left it."""

    path: str
    """The path below the workspace."""
    content: bytes | None
    """The old content; None when there was no file."""
    mode: int
    """The permission bits of the old file."""
    now: str
    """The token of the file behind the change."""


class Stage(StrEnum):
    """The stage of putting a file back: none, asked for, begun, done, or met by another change."""

    NONE = "none"
    ASKED = "asked"
    BEGUN = "begun"
    DONE = "done"
    MET = "met"


@frozen
class FileChange:
    """A change of a file and the content that a press would put there.

    After an undo the two have changed places: then a press does the change again.
    """

    id: str
    """Names the change; its buttons hold it."""
    chat: int
    """The chat that shows the change."""
    turn: str
    """The turn whose call made it."""
    task: str
    """The turn that the call was for: of an errand the one that sent it."""
    call: str
    """The id of the call."""
    asker: int
    """The person whose turn it was."""
    root: str
    """The workspace."""
    path: str
    """The path below the workspace."""
    content: bytes | None
    """The content to put there; None for no file."""
    mode: int
    """The permission bits of that content."""
    now: str
    """The token that the file should have now."""
    at: datetime
    """The time of the change."""
    number: int = 0
    """The place among all changes; given by the store."""
    undone: bool = False
    """True while the file is as it was before the change."""
    flips: int = 0
    """The number of times that it was undone or done again; buttons name it."""
    version: int = 0
    """Grows with each write of the row."""
    stage: Stage = Stage.NONE
    """The stage of putting the file back."""
    by: str = ""
    """The turn that puts the file back, or did so last."""
    met: str = ""
    """The token of another content that a person was shown; it may be replaced if they agree."""
    agreed: bool = False
    """True when the person agreed to replace that content."""
    spare: bytes | None = None
    """The content that is being replaced; the next press would put it back."""
    spare_now: str = ""
    """The token of that content."""
    spare_mode: int = 0
    """The permission bits of that content."""
    spare_kept: bool = True
    """False when that content is too large to be kept."""

    @property
    def target(self) -> str:
        """Returns the token that the file has once the content is put there."""
        return token_of(self.content)

    def amended(self, **changes: Any) -> "FileChange":
        """Returns the next version of the row."""
        return replace(self, version=self.version + 1, **changes)

    def flipped(self) -> "FileChange":
        """Returns the row once the content is in its place, and the other one is kept."""
        return self.amended(
            content=self.spare,
            mode=self.spare_mode,
            now=self.target,
            undone=not self.undone,
            flips=self.flips + 1,
            stage=Stage.DONE,
            met="",
            agreed=False,
            spare=None,
            spare_now="",
        )


class UndoVerb(StrEnum):
    """The wish of a button.

    One change, one in any case, to keep the file, all changes of a turn, or those of its changes
    that ran because of a standing rule.
    """

    ONE = "o"
    ANYWAY = "a"
    KEEP = "k"
    ALL = "t"
    RULED = "r"


@frozen
class UndoButton:
    verb: UndoVerb
    of: str
    """The change, or the turn."""
    flips: int


UNDO_BUTTONS = ButtonCodec("u", UndoButton)
