"""The tool that runs shell commands."""

import asyncio
import os
import shlex
import signal
import time
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import Annotated

from pydantic import Field

from bot.adapters.tools.other_chats import OtherChats
from bot.adapters.tools.process import CommandRun
from bot.adapters.tools.reads_within import Bounds
from bot.adapters.tools.sandbox import Sandbox, View
from bot.adapters.tools.sent_files import A_SENT_FILE, SentFiles
from bot.domain.consent.command_line import (
    MAX_COMMAND,
    is_dangerous,
    may_have_rule,
    parse_simple,
    reads_of,
)
from bot.domain.skills.skill import Skill
from bot.domain.talk.errors import ToolFailure
from bot.domain.talk.message import CodeBlock
from bot.domain.talk.reach import Reach
from bot.domain.text.visible_text import one_line, plain_output, visible
from bot.domain.tools.deed_words import LONGEST, run_deed, run_whole
from bot.domain.tools.run_place import in_todays_words
from bot.domain.tools.tool import (
    Effect,
    ExactRule,
    Preview,
    Replay,
    Surroundings,
    ToolOutput,
    ToolSpec,
)
from bot.domain.value import frozen
from bot.ports.arguments_tool import Arguments, ArgumentsTool, Text
from bot.ports.tool import Place, Seen

LONGEST_SECONDS = 600
_ENDING_SECONDS = 10.0
_BELOW = "Run this command"
"""The title of a card whose command stands whole below it."""

_LONGEST_READING = 4_000
"""Characters of a command that may run without a card where there is no sandbox."""

_UNTRUSTED = "output of a command with network"
_OF_OTHERS = "output of a command that sees files of other chats"


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

    name = "run_command"
    summary = "run a command"
    description = (
        "Run a command line in the workspace with bash and return its exit code and output. "
        "There is no input and usually no network; nothing keeps running afterwards. Prefer "
        "the file tools for reading and writing files. Files that people sent are there only "
        "for a command that names inbox/."
    )
    takes = RunCommandArguments
    effect = Effect.WRITE
    replay = Replay.ONCE

    def __init__(
        self,
        sandbox: Sandbox,
        default_seconds: int = 60,
        others: OtherChats | None = None,
        sent: SentFiles | None = None,
    ) -> None:
        self._sandbox = sandbox
        self._default_seconds = default_seconds
        self._others = others or OtherChats()
        self._sent = sent or SentFiles()

    def completed(self, spec: ToolSpec) -> ToolSpec:
        return replace(spec, timeout_s=LONGEST_SECONDS + _ENDING_SECONDS)

    async def foresee(
        self, arguments: RunCommandArguments, place: Place, exact: ExactRule
    ) -> Preview:
        walled = await self._sandbox.works()
        runs = await asyncio.to_thread(resolved, arguments.command, place.workspace, place.skill)
        # Judging a long command takes a while, and other chats must not wait for it.
        danger = await asyncio.to_thread(is_dangerous, runs.command)
        # A standing rule covers files of the workspace; it must not run a skill's files unseen.
        taken = f"{', '.join(runs.taken)} is taken from the skill's folder" if runs.taken else ""
        reason = "; ".join(filter(None, (danger, taken)))
        words = parse_simple(runs.command)
        lasting = walled and not reason and words is not None and may_have_rule(words)
        surroundings = await self._surroundings(place, await self._view(runs.command, place))
        where = _in_words(surroundings, place)
        seen = f"{where}: {runs.command}" if runs.taken else where
        until = f", for up to {arguments.timeout} s" if arguments.timeout else ""
        deed, whole = run_deed(runs.command), run_whole(runs.command)
        return Preview(
            title=deed if whole else _BELOW,
            subject=deed,
            effect=Effect.DANGER if reason or not walled else Effect.WRITE,
            blocks=() if whole else (CodeBlock(visible(runs.command), "bash"),),
            where=f"{where}{until}",
            why=f"Always asks: {visible(reason)}" if reason else "",
            seen=seen,
            always=exact if lasting else None,
            surroundings=surroundings,
            reach=await self._reach(place, walled=walled),
            unwalled=not (walled or reason),
            reads=not (walled or reason) and await self._reads_here(runs.command, place),
            done=deed.replace("Run", "Ran", 1),
            document="command.sh",
        )

    async def perform(self, arguments: RunCommandArguments, place: Place, seen: Seen) -> ToolOutput:
        runs = await asyncio.to_thread(resolved, arguments.command, place.workspace, place.skill)
        view = await self._view(runs.command, place)
        where = _in_words(await self._surroundings(place, view), place)
        now = f"{where}: {runs.command}" if runs.taken else where
        if seen is not None and in_todays_words(seen) != now:
            raise ToolFailure(f"shown to run {seen}, it would now run {now}; ask again")
        seconds = arguments.timeout or self._default_seconds
        reads = await self._reads_here(runs.command, place)
        since = time.time_ns()
        try:
            run = await self._sandbox.run(runs.command, place.workspace, seconds, place.skill, view)
        except OSError as fault:
            raise ToolFailure(f"the command cannot be started: {fault.strerror}") from fault
        output = plain_output(run.output)
        source = None if reads else await self._source(place, view)
        sent = await self._sent_source(runs.command, output, place, view)
        if sent is not None and view.writes:
            await self._sent.record_made(place, since, view.hidden)
        return ToolOutput(
            text=f"{_ending(runs.command, run, seconds)}\n{output}".rstrip(),
            untrusted=source or sent,
            failed=run.timed_out or run.exit_code != 0,
            timed_out=run.timed_out,
        )

    async def _view(self, command: str, place: Place) -> View:
        """Returns the part of the workspace that the command gets.

        Other chats' folders are hidden, so that nothing of them can be copied unmarked. A command
        that names one sees them all, and can write nothing. The inbox is hidden from commands that
        do not name it, so that its files come into no output unmarked.
        """
        others = self._others.seen_from(place)
        folders = await asyncio.to_thread(others.below, place.workspace)
        if folders and others.named_in(command):
            return View(writes=False)
        return View((*folders, *await self._unnamed(command, place)))

    async def _unnamed(self, command: str, place: Place) -> tuple[Path, ...]:
        return await asyncio.to_thread(
            self._sent.seen_from(place).unnamed, place.workspace, command
        )

    async def _sent_source(self, command: str, output: str, place: Place, view: View) -> str | None:
        """Returns the source of files that people sent, if the command may have read one."""
        if view.writes and not set(await self._unnamed(command, place)) <= set(view.hidden):
            return A_SENT_FILE  # The inbox has come up during the run.
        sent = self._sent.seen_from(place)
        return await sent.of_command(place.workspace, command, output, view.hidden)

    async def _reads_here(self, command: str, place: Place) -> bool:
        """Returns True where no sandbox is, and none is needed: it only reads its own workspace."""
        words = parse_simple(command) if len(command) <= _LONGEST_READING else None
        reads = None if words is None else reads_of(words)
        if reads is None or await self._sandbox.works():
            return False
        if place.skill is not None and place.skill.environment:
            return False
        others, sent = self._others.seen_from(place), self._sent.seen_from(place)

        def holds() -> bool:
            foreign = (*others.below(place.workspace), *sent.unnamed(place.workspace, ""))
            return Bounds(place.workspace, foreign).hold(reads)

        return await asyncio.to_thread(holds)

    async def _reach(self, place: Place, *, walled: bool) -> Reach:
        """Returns how far a command reaches: beyond its folder, unless the sandbox keeps it there.

        One that sees a secret could tell it, and one with network reaches other programs.
        """
        kept = walled and not place.secrets and not await self._sandbox.reaches_network()
        return place.reach(Reach.COMMAND) if kept else Reach.BEYOND

    async def _source(self, place: Place, view: View) -> str | None:
        """Returns the foreign source of an output; None when nothing foreign was in reach."""
        if await self._sandbox.reaches_network():
            return _UNTRUSTED
        others = self._others.seen_from(place)
        folders = await asyncio.to_thread(others.below, place.workspace)
        # A folder may have come up during the run.
        return None if view.writes and set(folders) <= set(view.hidden) else _OF_OTHERS

    async def _surroundings(self, place: Place, view: View) -> Surroundings:
        """Returns the place of the run and the variables in it."""
        where, skill = await self._sandbox.where(view), place.skill
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
    return f"exit code {run.exit_code}{name} of {one_line(command, LONGEST)}"


@frozen
class Resolved:
    """A command as it runs, and its paths that now lead into the skill's folder."""

    command: str
    taken: tuple[str, ...] = ()


def resolved(command: str, workspace: Path, skill: Skill | None) -> Resolved:
    """Returns the command; paths that only the skill has now lead into its folder. Blocks.

    Skills name their files by paths from their own folder. Only a simple command is changed: in any
    other the final words are unknown. A link does not count as a file of a skill here.
    """
    words = parse_simple(command) if skill is not None else None
    if skill is None or words is None:
        return Resolved(command)
    taken = [word for word in words if _is_meant(word, workspace, Path(skill.folder))]
    if not taken:
        return Resolved(command)
    full = (f"{skill.folder}/{PurePosixPath(w)}" if w in taken else w for w in words)
    return Resolved(shlex.join(full), tuple(dict.fromkeys(taken)))


def _is_meant(word: str, workspace: Path, folder: Path) -> bool:
    pure = PurePosixPath(word)
    named = "/" in word and not pure.is_absolute() and ".." not in pure.parts
    if not named or os.path.lexists(workspace / pure):
        return False
    file = folder / pure
    return file.is_file() and Path(os.path.realpath(file)).is_relative_to(os.path.realpath(folder))
