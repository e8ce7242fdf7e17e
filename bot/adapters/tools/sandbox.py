"""The boundary around commands: bubblewrap, when a probe run of it succeeds."""

import asyncio
import os
from pathlib import Path

from bot.adapters.tools.process import CommandRun, run_command_line
from bot.domain.consent.command_line import (
    QUIET,
    is_git_status,
    only_reads,
    parse_simple,
)
from bot.domain.skills.skill import Skill
from bot.domain.talk.errors import ToolFailure
from bot.domain.text.visible_text import shown_name
from bot.domain.tools.run_place import BARE, NETWORKS, Walls
from bot.domain.value import frozen

_SYSTEM = ("/bin", "/sbin", "/lib", "/lib32", "/lib64")
_READABLE = (
    "/usr",
    "/etc/alternatives",
    "/etc/ca-certificates",
    "/etc/group",
    "/etc/ld.so.cache",
    "/etc/ld.so.conf",
    "/etc/ld.so.conf.d",
    "/etc/localtime",
    "/etc/mime.types",
    "/etc/nsswitch.conf",
    "/etc/passwd",
    "/etc/pki",
    "/etc/protocols",
    "/etc/services",
    "/etc/ssl/certs",
    "/etc/ssl/openssl.cnf",
)
_FOR_NETWORK = ("/etc/hosts", "/etc/resolv.conf")
_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
_PROBE_SECONDS = 10.0

SKILL_FOLDERS = ("SKILL_DIR", "CLAUDE_SKILL_DIR", "CLAUDE_PLUGIN_ROOT")
"""Variables with the folder of the skill under which a command runs."""


@frozen
class View:
    """The part of a workspace that a command gets: without `hidden` folders, perhaps to read only.

    Without a sandbox it gets everything.
    """

    hidden: tuple[Path, ...] = ()
    writes: bool = True


class Sandbox:
    """Runs shell commands in a workspace, inside a sandbox where the machine allows it.

    Inside, a command sees the workspace (writable), the programs of the system (read-only), an
    empty /tmp and its own processes; the network only when `network` is set. `program` is the path
    of bubblewrap; with None every command runs without a sandbox, with all rights of this process.
    """

    def __init__(self, *, network: bool = False, program: str | None = "bwrap") -> None:
        self._network = network
        self._program = program
        self._works: bool | None = None
        self._probing = asyncio.Lock()
        self.fault = ""

    async def works(self) -> bool:
        """Returns True when the sandbox works, tried once; otherwise `fault` has the reason."""
        async with self._probing:
            if self._works is None:
                self._works = await self._probe()
            return self._works

    async def where(self, view: View = View()) -> str:
        """Returns the place in words, for the card of a command."""
        if not await self.works():
            return BARE
        network = NETWORKS[self._inside]
        seen = "" if view.writes else ", files of other chats too, where it can change nothing"
        return f"in the workspace{seen}, sandboxed, {network}"

    async def condition(self) -> str:
        """Returns in a few words how commands run at all."""
        if not await self.works():
            return "no sandbox, so all that do more than read ask"
        return f"sandboxed, {NETWORKS[self._inside]}"

    async def walls(self) -> Walls:
        """Returns the walls around the commands of now."""
        return self._inside if await self.works() else Walls.NONE

    @property
    def _inside(self) -> Walls:
        return Walls.NETWORK if self._network else Walls.CLOSED

    async def reaches_network(self) -> bool:
        return self._network or not await self.works()

    async def run(
        self,
        command: str,
        workspace: Path,
        seconds: float,
        skill: Skill | None = None,
        view: View = View(),
    ) -> CommandRun:
        """Runs a shell command to its end, or for at most `seconds`.

        Under a skill, the command finds the skill's files in $SKILL_DIR and the names that other
        programs use for it (read-only inside the sandbox), and the skill's variables in its
        environment.
        """
        if not await asyncio.to_thread(workspace.is_dir):
            raise ToolFailure(f"{shown_name(str(workspace))}: there is no such folder")
        arguments = self._shell(command)
        walled = await self.works()
        if walled:
            arguments = [*self._wall(workspace, skill, view), "--", *arguments]
        environment = {**_of_skill(skill), **environment_of(command, workspace)}
        return await run_command_line(arguments, workspace, environment, seconds, walled=walled)

    async def _probe(self) -> bool:
        if self._program is None:
            self.fault = "switched off"
            return False
        arguments = [*self._wall(Path("/usr")), "--", *self._shell("exit 0")]
        try:
            probe = await run_command_line(
                arguments, Path("/"), _environment(Path("/")), _PROBE_SECONDS
            )
        except OSError as fault:
            self.fault = f"{self._program}: {fault.strerror}"
            return False
        self.fault = probe.output.strip() if probe.exit_code else ""
        return probe.exit_code == 0

    def _shell(self, command: str) -> list[str]:
        if Path("/bin/bash").exists():
            return ["/bin/bash", "--noprofile", "--norc", "-c", command]
        return ["/bin/sh", "-c", command]

    def _wall(self, workspace: Path, skill: Skill | None = None, view: View = View()) -> list[str]:
        wall = [str(self._program), "--unshare-all"]
        wall += ["--share-net"] if self._network else []
        wall += ["--die-with-parent", "--new-session", "--cap-drop", "ALL"]
        for path in (*_READABLE, *(_FOR_NETWORK if self._network else ())):
            wall += ["--ro-bind-try", path, path]
        for path in _SYSTEM:
            wall += _as_on_the_machine(path)
        wall += ["--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp"]
        # A skill's folder has no link in its path, unless someone has put one there since.
        if skill is not None and os.path.realpath(skill.folder) == skill.folder:
            wall += ["--ro-bind-try", skill.folder, skill.folder]
        wall += ["--bind" if view.writes else "--ro-bind", str(workspace), str(workspace)]
        for folder in view.hidden:
            wall += ["--tmpfs", str(folder), "--remount-ro", str(folder)]
        return [*wall, "--chdir", str(workspace)]


def _as_on_the_machine(path: str) -> list[str]:
    if Path(path).is_symlink():
        return ["--symlink", str(Path(path).readlink()), path]
    return ["--ro-bind-try", path, path]


def _of_skill(skill: Skill | None) -> dict[str, str]:
    if skill is None:
        return {}
    return {**skill.environment, **dict.fromkeys(SKILL_FOLDERS, skill.folder)}


def environment_of(command: str, workspace: Path) -> dict[str, str]:
    """Returns the whole environment of a command, with nothing of our own.

    A command that a rule for readers would cover gets no home and no settings of git: it may run
    without a card, and files that a command unpacked could name programs there.
    """
    words = parse_simple(command)
    if words is None or not (only_reads(words) or is_git_status(words)):
        return _environment(workspace)
    # Git looks for a repository in no folder above one that has its own.
    within = {"GIT_CEILING_DIRECTORIES": str(workspace.resolve().parent)}
    own = within if (workspace / ".git").is_dir() else {}
    return {**_environment(workspace), **QUIET, **own}


def _environment(workspace: Path) -> dict[str, str]:
    return {"PATH": _PATH, "HOME": str(workspace), "LANG": "C.UTF-8", "TERM": "dumb"}
