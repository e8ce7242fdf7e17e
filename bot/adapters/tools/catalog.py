"""The tools that touch the world: files, commands, pages of the web, and what is sent."""

from collections.abc import Sequence
from pathlib import Path

from bot.adapters.tools.current_time import CurrentTime
from bot.adapters.tools.sending import SendFile, SendMessage
from bot.ports.clock import Clock
from bot.ports.tool import Tool


def world_tools(
    clock: Clock,
    spool: Path,
    *,
    reading: Sequence[Tool],
    writing: Sequence[Tool],
    run_command: Tool,
    web: Sequence[Tool] = (),
) -> tuple[Tool, ...]:
    """Returns these tools; `spool` keeps copies of files until they are delivered."""
    sending = (SendFile(spool), SendMessage())
    return (CurrentTime(clock), *reading, *writing, run_command, *sending, *web)
