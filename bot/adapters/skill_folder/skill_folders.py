"""All skills below some folders: read once, checked regularly, and read anew when changed."""

import asyncio
import errno
import logging
import os
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from types import TracebackType
from typing import Self, TypeAlias

from bot.adapters.skill_folder.bundled_files import read_file, read_text
from bot.adapters.skill_folder.front_matter import Malformed
from bot.adapters.skill_folder.given_values import FILE, GivenValues
from bot.adapters.skill_folder.skill_file import LARGEST, read_skill
from bot.domain.errors import ToolFailure
from bot.domain.skill import Skill, SkillFault, SkillSet, skill_set
from bot.ports.clock import Clock

_LOG = logging.getLogger(__name__)

LOOK_SECONDS = 2.0
"""Seconds between two checks of the folders for changes."""

PAUSE_SECONDS = 30.0
"""Seconds without a check after an unforeseen fault."""

_NAME = "SKILL.md"
_IS_LINK = "it is a link, or lies behind one; links are not followed"

Stamp: TypeAlias = tuple[int, int, int] | None
"""Identifies a version of a file: its time of change, size and number."""

Stamps: TypeAlias = Mapping[str, Stamp]


class SkillFolders:
    """The port Skills over folders, of which a later one wins; `home` has the file of values.

    As an async context manager it reads all skills, and watches them until it is left. A change
    counts when two checks in a row see the same, so that no half-written file is read. After an
    unforeseen fault the skills stay as they are for a pause, and then the checks continue.
    """

    def __init__(
        self,
        roots: Sequence[Path],
        home: Path,
        environ: Mapping[str, str],
        clock: Clock,
        tell: Callable[[SkillSet], None] = lambda _: None,
    ) -> None:
        """Calls `tell` with every set before anyone can use it."""
        self._roots = roots
        self._values_file = home / FILE
        self._values = GivenValues(environ)
        self._clock = clock
        self._tell = tell
        self._known = SkillSet()
        self._stamps: Stamps = {}
        self._read: dict[str, tuple[Stamp, Skill | SkillFault]] = {}
        self._task: asyncio.Task[None] | None = None
        self._told: set[type[BaseException]] = set()

    @property
    def known(self) -> SkillSet:
        return self._known

    async def read(self, skill: str, path: str) -> str:
        refusal = self._known.refusal(skill)
        if refusal:
            raise ToolFailure(refusal)
        folder = self._known.skills[skill].folder
        return await asyncio.to_thread(read_text, folder, path)

    async def __aenter__(self) -> Self:
        await asyncio.to_thread(self.load)
        self._start()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        task, self._task = self._task, None
        if task is not None:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    def _start(self, after: float = 0.0) -> None:
        self._task = asyncio.create_task(self._watch(after), name="skills")
        self._task.add_done_callback(self._go_on)

    def _go_on(self, ended: asyncio.Task[None]) -> None:
        """Restarts a watch that ended with a fault; logs each kind of fault once."""
        if ended is not self._task or ended.cancelled() or (fault := ended.exception()) is None:
            return
        if type(fault) not in self._told:
            self._told.add(type(fault))
            _LOG.error("skills are looked at again in %g s", PAUSE_SECONDS, exc_info=fault)
        self._start(PAUSE_SECONDS)

    async def _watch(self, after: float) -> None:
        await self._clock.sleep(after)
        seen = self._stamps
        while True:
            await self._clock.sleep(LOOK_SECONDS)
            now = await asyncio.to_thread(self._look)
            if now != self._stamps and now == seen:
                await asyncio.to_thread(self.load)
                told = "skills changed: %d can be used, %d cannot be read"
                _LOG.info(told, len(self._known.ready), len(self._known.faults))
            seen = now

    def load(self) -> None:
        """Reads new and changed files; blocks."""
        stamps = self._look()
        faults: list[SkillFault] = []
        if stamps.get(str(self._values_file)) != self._stamps.get(str(self._values_file)):
            self._read.clear()
        try:
            self._values.read(self._values_file)
        except Malformed as malformed:
            faults.append(SkillFault(str(self._values_file), malformed.line, malformed.reason))
        found: dict[str, Skill] = {}
        fitness = _Fitness(self._values.environ)
        for file, stamp in stamps.items():
            if file == str(self._values_file):
                continue
            one = self._one(file, stamp)
            if isinstance(one, SkillFault):
                faults.append(one)
            else:
                unmet = fitness.unmet(one)
                found[one.name] = replace(one, unmet=unmet) if unmet else one
        self._read = {file: one for file, one in self._read.items() if file in stamps}
        fresh = skill_set(found, tuple(faults))
        if fresh != self._known:
            self._tell(fresh)
            self._known = fresh
        # Last, so that after a fault the same files still count as changed.
        self._stamps = stamps

    def _one(self, file: str, stamp: Stamp) -> Skill | SkillFault:
        known = self._read.get(file)
        if known is None or known[0] != stamp:
            known = self._read[file] = (stamp, self._fresh(file))
        return known[1]

    def _fresh(self, file: str) -> Skill | SkillFault:
        folder, _, _ = file.rpartition("/")
        try:
            # No check before the read: a link could take the file's place in between.
            content = read_file(folder, _NAME, LARGEST + 1)
            return read_skill(content, folder.rpartition("/")[2], folder, self._values.of)
        except Malformed as malformed:
            return SkillFault(file, malformed.line, malformed.reason)
        except FileNotFoundError:
            return SkillFault(file, 0, "there is no such file")
        except (OSError, ToolFailure) as fault:
            return SkillFault(file, 0, _reason(fault))

    def _look(self) -> Stamps:
        """Returns a stamp for every place where a skill is or should be; blocks."""
        stamps: dict[str, Stamp] = {str(self._values_file): _stamp(str(self._values_file))}
        for root in self._roots:
            for folder in sorted(_folders(root)):
                file = f"{folder}/{_NAME}"
                stamps[file] = _stamp(file)
        return stamps


class _Fitness:
    """Checks the requirements of skills; looks for each program once."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        self._environ = environ
        self._program = lru_cache(None)(lambda name: shutil.which(name, path=environ.get("PATH")))

    def unmet(self, skill: Skill) -> str:
        given = skill.environment
        for name in skill.requires.env:
            if not self._environ.get(name) and not given.get(name):
                return f"it needs {name} in the environment"
        for name in skill.requires.bin:
            if self._program(name) is None:
                return f"it needs the program {name}"
        for variable in skill.variables:
            if variable.required and not variable.value:
                return f"it needs a value for its variable {variable.name} (in {FILE})"
        return ""


def _folders(root: Path) -> Iterator[str]:
    """Yields folders that should hold a skill; also links, so that they can be reported."""
    try:
        with os.scandir(root) as entries:
            for entry in entries:
                hidden = entry.name.startswith((".", "_"))
                if not hidden and (entry.is_symlink() or entry.is_dir(follow_symlinks=False)):
                    yield entry.path
    except OSError:
        return


def _stamp(path: str) -> Stamp:
    try:
        found = os.stat(path, follow_symlinks=False)  # noqa: PTH116 - as above
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino


def _reason(fault: Exception) -> str:
    if isinstance(fault, OSError) and fault.errno in (errno.ELOOP, errno.ENOTDIR):
        return _IS_LINK
    if isinstance(fault, OSError):
        return fault.strerror or "it cannot be read"
    return str(fault)
