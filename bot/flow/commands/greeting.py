"""The greeting and the help."""

from collections.abc import Callable, Sequence

from bot.flow.commands.table import Answer, Command, Invocation
from bot.flow.commands.terms import named


class GreetingCommands:
    """Greets and helps; `everything` returns the whole table of commands."""

    def __init__(self, everything: Callable[[], Sequence[Command]]) -> None:
        self._everything = everything

    @property
    def table(self) -> Sequence[Command]:
        return (
            Command("start", "say hello", self.start),
            Command("help", "list the commands", self.help),
        )

    async def start(self, asked: Invocation) -> Answer:
        return Answer(f"Hello, {named(asked.person.name)}. Write to me, or see /help.")

    async def help(self, asked: Invocation) -> Answer:
        owner = asked.person.is_owner
        lines = [f"{c.form}: {c.summary}" for c in self._everything() if owner or not c.owner_only]
        return Answer("\n".join(f"- {line}" for line in lines))
