"""The command that tells what is going on and what is set up."""

from collections.abc import Sequence

from bot.flow.commanding.table import Answer, Command, Invocation
from bot.flow.commands.status_parts import Part


class OverviewCommands:
    """Puts the parts of the status together; one without a line is left out."""

    def __init__(self, parts: Sequence[Part]) -> None:
        self._parts = parts

    @property
    def table(self) -> Sequence[Command]:
        summary = "what is going on, and what is set up"
        return (Command("status", summary, self.status, first=True),)

    async def status(self, asked: Invocation) -> Answer:
        told = [(part.title, await part.lines(asked)) for part in self._parts]
        shown = ["\n".join([f"**{title}**", *lines]) for title, lines in told if lines]
        return Answer("\n\n".join(shown))
