"""A tool, as the loop uses it."""

from collections.abc import Mapping
from dataclasses import field
from pathlib import Path
from typing import Any, Protocol, TypeAlias

from bot.domain.money.budget import CallKind, Cause
from bot.domain.skills.skill import Skill
from bot.domain.talk.reach import Reach
from bot.domain.tools.tool import Preview, ToolOutput, ToolSpec
from bot.domain.turn.mandate import Mandate
from bot.domain.value import frozen

Seen: TypeAlias = str | None
"""The state that the preview of a call saw; None for one that saw none."""


@frozen
class Folder:
    """The folder of this machine that calls of a person in a chat may touch."""

    path: Path
    own: bool = False
    """True when it belongs to this chat alone, and was made for it."""
    project: bool = False
    """True for a folder of the person's own, in which nothing is kept beside their files."""


@frozen
class Place:
    """The surroundings of a call: its workspace, chat and turn, and its own id.

    `skill` is the skill in use, after `stages` hand-overs in the turn.
    """

    workspace: Path
    chat: int
    turn: str
    conversation: str
    person: int
    timezone: str
    call_id: str = ""
    mandate: Mandate = field(kw_only=True)
    """The most that the turn of the call may do."""
    skill: Skill | None = None
    stages: int = 0
    task: str = ""
    """The turn that pays for the call: the one that sent its turn on an errand, or its own."""
    own: bool = False
    """True when the workspace belongs to this chat alone, and was made for it."""
    project: bool = False
    """True when the workspace is a folder of the person's own, which a terminal stands in."""

    @property
    def embedding(self) -> Cause:
        """Returns who pays for embedding what a call here searches for."""
        skill = self.skill.name if self.skill is not None else None
        payer = self.task or self.turn
        return Cause(CallKind.EMBEDDING, self.chat, self.person, payer, skill)

    @property
    def secrets(self) -> tuple[str, ...]:
        """Returns the values that calls here may print but no model may read."""
        return self.skill.secrets if self.skill is not None else ()

    @property
    def under(self) -> str:
        """Returns the edition of the skill in use; rules that it asked for are bound to it."""
        return self.skill.edition if self.skill is not None else ""

    def reach(self, most: Reach) -> Reach:
        """Returns how far a call reaches here; in a shared folder, a change reaches beyond."""
        return most if self.own or most is Reach.TALK else Reach.BEYOND

    def refusal(self, tool: str) -> str:
        """Returns the reason why a tool may not be used here; empty when it may."""
        return self.skill.refusal(tool) if self.skill is not None else ""


class Tool(Protocol):
    @property
    def spec(self) -> ToolSpec: ...

    def check(self, arguments: Mapping[str, Any]) -> None:
        """Checks the arguments; raises InvalidArguments when they do not fit the schema."""
        ...

    async def preview(self, arguments: Mapping[str, Any], place: Place) -> Preview:
        """Describes the effects of the call; raises ToolFailure when the call cannot be done."""
        ...

    async def run(self, arguments: Mapping[str, Any], place: Place, seen: Seen) -> ToolOutput:
        """Carries the call out; raises ToolFailure. After a cancel no process is left."""
        ...
