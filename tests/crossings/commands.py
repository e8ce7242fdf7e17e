"""Commands of a story, in a real sandbox where the machine has one; they tell what they found."""

import asyncio
import shlex
import shutil
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple, Self

from bot.adapters.tools.sandbox import Sandbox
from bot.domain.skills.skill import Skill
from bot.domain.tools.tool import Preview, ToolOutput
from bot.ports.tool import Place
from tests.scenarios.test_plan_skills import Runner

INSIDE = "sandboxed, no network"
OUTSIDE = "sandboxed, with network"

_NETWORK = Path("/proc/self/ns/net")
_OWN = str(_NETWORK.readlink())
_SECONDS = 60.0


class Found(NamedTuple):
    """What a command saw around it."""

    what: str
    key: str
    where: str


class Commands:
    """Runs the commands of a story, and knows those that are under way.

    Real processes take real time, which the clock of a story does not know: so it waits for them.
    """

    def __init__(self) -> None:
        self.sandboxes = {INSIDE: Sandbox(), OUTSIDE: Sandbox(network=True)}
        self.real = False
        """True where commands run in a sandbox."""
        self._running: set[asyncio.Future[None]] = set()
        self._folder = Path()

    async def open(self) -> None:
        """Looks if the machine has a sandbox."""
        self.real = await self.sandboxes[INSIDE].works()

    def __enter__(self) -> Self:
        self._folder = Path(tempfile.mkdtemp())
        return self

    def __exit__(self, *_: object) -> None:
        shutil.rmtree(self._folder)

    async def run(self, what: str, where: str, skill: Skill | None) -> tuple[Found, str]:
        """Runs a command that tells its surroundings; returns them, and its output."""
        told = f'printf \'%s|%s|%s\' {shlex.quote(what)} "$KEY" "$(readlink {_NETWORK})"'
        ended = asyncio.get_running_loop().create_future()
        self._running.add(ended)
        try:
            ran = await self.sandboxes[where].run(told, self._folder, _SECONDS, skill)
        finally:
            self._running.discard(ended)
            ended.set_result(None)
        assert ran.exit_code == 0, ran.output
        done, key, network = ran.output.split("|")
        shares = network.strip() == _OWN
        return Found(done, key, OUTSIDE if shares else INSIDE), ran.output

    async def ended(self) -> None:
        """Waits until no command runs."""
        while self._running:
            await asyncio.wait(self._running)


@dataclass(frozen=True, eq=False)
class PlacedTool(Runner):
    """A tool whose cards say where it works."""

    async def preview(self, arguments: Mapping[str, Any], place: Place) -> Preview:
        told = await super().preview(arguments, place)
        return replace(told, where=f"{told.where}, {self.at[0]}")


@dataclass(frozen=True, eq=False)
class CommandTool(PlacedTool):
    """A tool whose work is a command; without a sandbox it only says that it was done."""

    commands: Commands = field(default_factory=Commands)
    told: Callable[[Found], None] = lambda _: None
    """Takes what each of its commands found."""

    async def run(self, arguments: Mapping[str, Any], place: Place, seen: str | None) -> ToolOutput:
        if not self.commands.real:
            return await super().run(arguments, place, seen)
        found, output = await self.commands.run(str(arguments["what"]), self.at[0], place.skill)
        self.told(found)
        return ToolOutput(output)
