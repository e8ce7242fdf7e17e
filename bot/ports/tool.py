"""A tool, as the loop uses it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from bot.domain.skill import Skill
from bot.domain.tool import Preview, ToolOutput, ToolSpec


@dataclass(frozen=True, slots=True)
class Place:
    """The surroundings of a call: its workspace, its chat and turn, and its own id.

    `skill` is the skill in use, after `stages` handovers in the turn.
    """

    workspace: Path
    chat: int
    turn: str
    conversation: str
    person: int
    timezone: str
    call_id: str = ""
    skill: Skill | None = None
    stages: int = 0

    @property
    def secrets(self) -> tuple[str, ...]:
        """Values that calls here may print and that no model may read."""
        return self.skill.secrets if self.skill is not None else ()

    def refusal(self, tool: str) -> str:
        """Why a tool may not be used here; empty when it may."""
        return self.skill.refusal(tool) if self.skill is not None else ""


class Tool(Protocol):
    @property
    def spec(self) -> ToolSpec: ...

    def check(self, arguments: Mapping[str, Any]) -> None:
        """Raises InvalidArguments when they do not fit the schema."""
        ...

    async def preview(self, arguments: Mapping[str, Any], place: Place) -> Preview:
        """Tells what the call will do; raises ToolFailure when it cannot be done."""
        ...

    async def run(self, arguments: Mapping[str, Any], place: Place, seen: str | None) -> ToolOutput:
        """Carries the call out; raises ToolFailure. Cancelled, it leaves no process behind."""
        ...


class Catalog(Protocol):
    """The tools a chat may be offered, in stable order."""

    def tools(self, chat: int) -> Sequence[Tool]: ...
