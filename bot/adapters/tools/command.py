"""The tool that runs shell commands."""

import asyncio
import signal
from typing import Annotated

from pydantic import Field

from bot.adapters.tools.arguments_tool import Arguments, ArgumentsTool, Text, schema_of
from bot.adapters.tools.process import CommandRun
from bot.adapters.tools.sandbox import Sandbox
from bot.adapters.tools.skill_paths import resolved
from bot.domain.command_line import MAX_COMMAND, is_dangerous, may_have_rule, parse_simple
from bot.domain.errors import ToolFailure
from bot.domain.message import CodeBlock
from bot.domain.tool import (
    Effect,
    ExactRule,
    Preview,
    Replay,
    Surroundings,
    ToolOutput,
    ToolSpec,
    clipped,
)
from bot.domain.visible_text import plain_output, visible
from bot.ports.tool import Place

LONGEST_SECONDS = 600
_ENDING_SECONDS = 10.0
_LABEL = 60
_UNTRUSTED = "output of a command with network"


class RunCommandArguments(Arguments):
    command: Annotated[
        Text, Field(min_length=1, max_length=MAX_COMMAND, description="Command line for bash.")
    ]
    timeout: Annotated[
        int | None,
        Field(ge=1, le=LONGEST_SECONDS, description="Seconds until it is killed; default 60."),
    ] = None


class RunCommand(ArgumentsTool[RunCommandArguments]):
    """Runs a command line in the workspace, in a sandbox where the machine allows it."""

    def __init__(self, sandbox: Sandbox, default_seconds: int = 60) -> None:
        self._sandbox = sandbox
        self._default_seconds = default_seconds
        description = (
            "Run a command line in the workspace with bash and return its exit code and output. "
            "There is no input and usually no network; nothing keeps running afterwards. Prefer "
            "the file tools for reading and writing files."
        )
        super().__init__(
            RunCommandArguments,
            ToolSpec(
                name="run_command",
                description=description,
                input_schema=schema_of(RunCommandArguments),
                effect=Effect.WRITE,
                replay=Replay.ONCE,
                timeout_s=LONGEST_SECONDS + _ENDING_SECONDS,
            ),
        )

    async def foresee(
        self, arguments: RunCommandArguments, place: Place, exact: ExactRule
    ) -> Preview:
        walled = await self._sandbox.works()
        runs = await asyncio.to_thread(resolved, arguments.command, place.workspace, place.skill)
        # Judging a long command takes a while, and other chats must not wait for it.
        danger = await asyncio.to_thread(is_dangerous, runs.command)
        reason = danger or ("" if walled else "there is no working sandbox")
        if runs.taken:
            # A standing rule covers files of the workspace; it must not run a skill's files unseen.
            named = f"{', '.join(runs.taken)} is taken from the skill's folder"
            reason = f"{reason}; {named}" if reason else named
        words = parse_simple(runs.command)
        lasting = not reason and words is not None and may_have_rule(words)
        surroundings = await self._surroundings(place)
        where = _in_words(surroundings, place)
        seen = f"{where}: {runs.command}" if runs.taken else where
        until = f", for up to {arguments.timeout} s" if arguments.timeout else ""
        return Preview(
            title="Run a command?",
            subject=f"$ {clipped(visible(' '.join(runs.command.split())), _LABEL)}",
            effect=Effect.DANGER if reason else Effect.WRITE,
            blocks=(CodeBlock(visible(runs.command), "bash"),),
            where=f"{where}{until}",
            why=f"asks every time: {visible(reason)}" if reason else "",
            seen=seen,
            always=exact if lasting else None,
            always_label=clipped(arguments.command.strip(), _LABEL) if lasting else "",
            surroundings=surroundings,
        )

    async def perform(
        self, arguments: RunCommandArguments, place: Place, seen: str | None
    ) -> ToolOutput:
        runs = await asyncio.to_thread(resolved, arguments.command, place.workspace, place.skill)
        where = _in_words(await self._surroundings(place), place)
        now = f"{where}: {runs.command}" if runs.taken else where
        if seen is not None and seen != now:
            raise ToolFailure(f"shown to run {seen}, it would now run {now}; ask again")
        seconds = arguments.timeout or self._default_seconds
        try:
            run = await self._sandbox.run(runs.command, place.workspace, seconds, place.skill)
        except OSError as fault:
            raise ToolFailure(f"the command cannot be started: {fault.strerror}") from fault
        network = await self._sandbox.reaches_network()
        return ToolOutput(
            text=f"{_ending(runs.command, run, seconds)}\n{plain_output(run.output)}".rstrip(),
            untrusted=_UNTRUSTED if network else None,
            failed=run.timed_out or run.exit_code != 0,
            timed_out=run.timed_out,
        )

    async def _surroundings(self, place: Place) -> Surroundings:
        """Returns the place of the run and the variables in it."""
        where, skill = await self._sandbox.where(), place.skill
        if skill is None or not skill.environment:
            return Surroundings(where)
        return Surroundings(where, skill.name, tuple(sorted(skill.environment)))


def _in_words(surroundings: Surroundings, place: Place) -> str:
    """Tells the person who is asked about the place and the variables."""
    if not surroundings.variables or place.skill is None:
        return surroundings.where
    secret = {v.name for v in place.skill.variables if v.secret}
    named = (f"{n} (secret)" if n in secret else n for n in surroundings.variables)
    told = f"with variables of the skill {surroundings.skill}: {', '.join(named)}"
    return f"{surroundings.where}, {told}"


def _ending(command: str, run: CommandRun, seconds: float) -> str:
    """Returns the first line, with the end of the run; a failure also names its command."""
    if run.timed_out:
        return f"killed after {seconds:g} s, its time was up; output so far:"
    if run.exit_code == 0:
        return "exit code 0"
    number = run.exit_code - 128
    known = number in {s.value for s in signal.Signals}
    name = f" ({signal.Signals(number).name})" if known else ""
    return f"exit code {run.exit_code}{name} of {clipped(visible(command), _LABEL)}"
