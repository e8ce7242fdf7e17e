"""The standard tools, in the order in which models see them."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from bot.adapters.tools.conversation import EndConversation, GetConversation
from bot.adapters.tools.current_time import CurrentTime
from bot.adapters.tools.planning import SubmitPlanTool
from bot.adapters.tools.sending import SendFile, SendMessage
from bot.domain.tools.tool_names import WEB_TOOLS
from bot.ports.chats import Chats
from bot.ports.clock import Clock
from bot.ports.journal import Journal
from bot.ports.tool import Tool

NAMES = frozenset(
    {
        "current_time",
        "list_files",
        "read_file",
        "search_files",
        "write_file",
        "edit_file",
        "delete_file",
        "run_command",
        "send_file",
        "send_message",
        "get_conversation",
        "end_conversation",
        "submit_plan",
    }
    | WEB_TOOLS
)
"""The names of the standard tools, for code that has no store to build the tools on."""


class FixedCatalog:
    """A catalog with the same tools for every chat."""

    def __init__(self, tools: Sequence[Tool]) -> None:
        self._tools = tuple(tools)

    def tools(self, chat: int) -> Sequence[Tool]:
        del chat
        return self._tools


@dataclass(frozen=True, slots=True)
class WorkspaceTools:
    """The tools that work in the folder of a chat."""

    reading: Sequence[Tool]
    writing: Sequence[Tool]
    run_command: Tool


def standard_tools(
    *,
    clock: Clock,
    chats: Chats,
    journal: Journal,
    workspace: WorkspaceTools,
    spool: Path,
    web: Sequence[Tool] = (),
) -> tuple[Tool, ...]:
    """Returns every standard tool; `spool` keeps copies of files until they are delivered."""
    return (
        CurrentTime(clock),
        *workspace.reading,
        *workspace.writing,
        workspace.run_command,
        SendFile(spool),
        SendMessage(),
        GetConversation(chats, journal),
        EndConversation(),
        SubmitPlanTool(),
        *web,
    )
