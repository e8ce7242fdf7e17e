"""The skills below some folders: read once, checked from time to time, read again when changed."""

import asyncio
import errno
import logging
import os
import shutil
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path, PurePath
from typing import Self, TypeAlias, TypeVar

from bot.adapters.markdown_folder import Stamp, Wrong, look_at
from bot.adapters.skill_folder.bundled_files import (
    Identity,
    identity_of,
    listed,
    opened,
    opened_below,
    read_below,
    read_text,
)
from bot.adapters.skill_folder.given_values import FILE, GivenValues
from bot.adapters.skill_folder.left_out import left_out, searched_by_links
from bot.adapters.skill_folder.skill_file import LARGEST, read_skill, said_name
from bot.adapters.skill_folder.skill_index import SkillIndex
from bot.adapters.skill_folder.skill_tree import NAME, NOTHING, SkillTree, Spot
from bot.domain.skills.skill import Skill, SkillFault, SkillSet, skill_set
from bot.domain.talk.errors import ToolFailure
from bot.ports.clock import Clock

_LOG = logging.getLogger(__name__)

_T = TypeVar("_T")

LOOK_SECONDS = 2.0
"""Seconds between two checks of the folders for changes."""

LOOK_SHARE = 100
"""The pause after a check lasts at least so many times the processor time of the check."""

PAUSE_SECONDS = 30.0
"""Seconds without checks after an unexpected fault."""

_IS_LINK = "it is a link that cannot be followed, or lies behind one"


class SkillFolders:
    """Provides skills from folders; a later folder wins. `home` holds the operator's values.

    As an async context manager it reads everything, and watches until it is left. A change counts
    once two checks have seen it, so that no half-written file is read. After an unexpected fault
    the skills stay the same for a pause, and then the watch continues.
    """

    def __init__(
        self,
        roots: Sequence[Path],
        home: Path,
        environ: Mapping[str, str],
        clock: Clock,
        tell: Callable[[SkillSet], None] = lambda _: None,
        spent: Callable[[], float] = time.thread_time,
    ) -> None:
        """Passes each new set to `tell` before it is used; the last root is the person's own.

        `spent` returns the seconds of processor time that the calling thread has used.
        """
        self._roots = roots
        self._tree = SkillTree(roots)
        self._own = len(roots) - 1
        self._values_file = home / FILE
        self._values = GivenValues(environ)
        self._clock = clock
        self._tell = tell
        self._spent = spent
        self._known = SkillSet()
        self._index = SkillIndex(self._known)
        self._seen: _Seen = ({}, None)
        self._read: dict[str, tuple[Stamp, Skill | SkillFault]] = {}
        self._identities: dict[str, Identity] = {}
        self._task: asyncio.Task[None] | None = None
        self._told: set[type[BaseException]] = set()

    @property
    def known(self) -> SkillSet:
        return self._known

    async def read(self, skill: str, path: str) -> str:
        return await asyncio.to_thread(self._inside, skill, lambda base: read_text(base, path))

    async def files(self, skill: str, most: int) -> Sequence[str]:
        return await asyncio.to_thread(self._inside, skill, lambda base: listed(base, most))

    async def search(self, words: str, limit: int) -> Sequence[Skill]:
        return await asyncio.to_thread(self._index.search, words, limit)

    def _inside(self, skill: str, look: Callable[[int], _T]) -> _T:
        """Looks into the folder of a skill, if it is still the folder that was read."""
        refusal = self._known.refusal(skill)
        if refusal:
            raise ToolFailure(refusal)
        folder = self._known.skills[skill].folder
        try:
            base = opened(folder, self._identities.get(folder))
        except OSError as fault:
            raise ToolFailure(f"the folder of {skill}: {_reason(fault)}") from fault
        try:
            return look(base)
        finally:
            os.close(base)

    async def __aenter__(self) -> Self:
        await asyncio.to_thread(self.load)
        self._start()
        return self

    async def __aexit__(self, *_: object) -> None:
        task, self._task = self._task, None
        if task is not None:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    def _start(self, after: float = 0.0) -> None:
        self._task = asyncio.create_task(self._watch(after), name="skills")
        self._task.add_done_callback(self._go_on)

    def _go_on(self, ended: asyncio.Task[None]) -> None:
        """Restarts a watch that a fault ended; logs each kind of fault once."""
        if ended is not self._task or ended.cancelled() or (fault := ended.exception()) is None:
            return
        if type(fault) not in self._told:
            self._told.add(type(fault))
            _LOG.error("skills are looked at again in %g s", PAUSE_SECONDS, exc_info=fault)
        self._start(PAUSE_SECONDS)

    async def _watch(self, after: float) -> None:
        await self._clock.sleep(after)
        before, pause = self._seen, LOOK_SECONDS
        while True:
            await self._clock.sleep(pause)
            now, cost = await asyncio.to_thread(self._measured_look)
            pause = max(LOOK_SECONDS, LOOK_SHARE * cost)
            if now != self._seen and now == before:
                await asyncio.to_thread(self.load)
                told = "skills changed: %d can be used, %d cannot be read"
                _LOG.info(told, len(self._known.ready), len(self._known.faults))
            before = now

    def _measured_look(self) -> tuple["_Seen", float]:
        """Returns a look and the seconds of processor time that it took."""
        begun = self._spent()
        return self._look(), self._spent() - begun

    def _look(self) -> "_Seen":
        """Returns every place of a skill with the signs of a change; blocks."""
        return self._tree.look(), look_at(self._values_file)

    def load(self) -> None:
        """Reads new and changed skills; blocks."""
        seen = self._look()
        _real_root.cache_clear()
        spots, values = seen
        faults: list[SkillFault] = []
        if values != self._seen[1]:
            self._read.clear()
        try:
            self._values.read(self._values_file)
        except Wrong as malformed:
            faults.append(SkillFault(str(self._values_file), malformed.line, str(malformed)))
        read = [(spot, self._one(spot)) for spot in spots.values()]
        missing = {fault.file: fault for fault in left_out(self._roots, spots)}
        held = searched_by_links(spots.values())
        for spot, one in read:
            empty = spot.fault == NOTHING
            told = empty and (spot.top in missing or _real(spot.top) in held)
            if isinstance(one, SkillFault) and not told:
                faults.append(one)
        faults += missing.values()
        fitness = _Fitness(self._values.environ, self._values.may_see)
        fit = [(spot, fitness.judged(one)) for spot, one in read if isinstance(one, Skill)]
        found = _by_name(fit)
        self._read = {file: one for file, one in self._read.items() if file in spots}
        fresh = skill_set(found, tuple(faults))
        if fresh != self._known:
            self._tell(fresh)
            self._index = SkillIndex(fresh)
            self._known = fresh
        # This comes last: if a fault prevents the reading, the change still counts as new.
        self._seen = seen

    def _one(self, spot: Spot) -> Skill | SkillFault:
        known = self._read.get(spot.file)
        if known is None or known[0] != spot.stamp:
            known = self._read[spot.file] = (spot.stamp, self._fresh(spot))
        return known[1]

    def _fresh(self, spot: Spot) -> Skill | SkillFault:
        content = b""
        try:
            if spot.fault:
                raise Wrong(0, spot.fault)
            folder, content = self._content(spot)
            name = PurePath(spot.folder).name
            skill = read_skill(content, name, folder, self._values.of)
            return replace(skill, own=spot.root == self._own)
        except Wrong as malformed:
            return SkillFault(spot.file, malformed.line, str(malformed), said_name(content))
        except FileNotFoundError:
            return SkillFault(spot.file, 0, "there is no such file")
        except (OSError, ToolFailure) as fault:
            return SkillFault(spot.file, 0, _reason(fault))

    def _content(self, spot: Spot) -> tuple[str, bytes]:
        """Returns the skill's own folder, with no link on the way, and the bytes of its file.

        A link in a root is followed: only people who may add skills can put one there. Below it no
        link is followed out of the root's folder, because a clone has its own links. Every folder
        is opened step by step and checked by number, so no swap in between leads elsewhere.
        """
        top = opened(spot.top, follow=True)
        try:
            content = read_below(top, f"{spot.below}/{NAME}" if spot.below else NAME, LARGEST + 1)
            inside = opened_below(top, spot.below or ".")
            try:
                identity = identity_of(inside)
            finally:
                os.close(inside)
        finally:
            os.close(top)
        folder = _real(spot.top) + spot.folder.removeprefix(spot.top)
        os.close(opened(folder, identity))
        self._identities[folder] = identity
        return folder, content


_Seen: TypeAlias = tuple[Mapping[str, Spot], Stamp]
_Read: TypeAlias = tuple[Spot, Skill]


def _by_name(read: Sequence[_Read]) -> Mapping[str, Skill]:
    """Returns the skills by name; a skill that replaces another one carries a warning.

    A later root wins. Within a root the skill named like its folder wins, then the less deep one:
    a skill in someone's clone cannot replace a skill that a person put there by hand.
    """
    found: dict[str, Skill] = {}
    weakest_first = sorted(read, key=lambda one: one[0].rank, reverse=True)
    for _, skill in sorted(weakest_first, key=_precedence):
        hidden = found.get(skill.name)
        if hidden is None:
            found[skill.name] = skill
        else:
            told = f"it takes the place of another {skill.name}, in {hidden.folder}"
            found[skill.name] = replace(skill, warnings=(*skill.warnings, told))
    return found


def _precedence(one: _Read) -> tuple[int, bool]:
    spot, skill = one
    return spot.root, PurePath(spot.folder).name == skill.name


def _real(top: str) -> str:
    """Returns a folder of a root with every link on the way resolved."""
    root, _, name = top.rpartition("/")
    path = f"{_real_root(root)}/{name}"
    return os.path.realpath(path) if os.path.islink(path) else path  # texts


@lru_cache(8)
def _real_root(root: str) -> str:
    return os.path.realpath(root)


class _Fitness:
    """Finds the unmet needs of skills; looks for each program once."""

    def __init__(self, environ: Mapping[str, str], may_see: Callable[[str, str], bool]) -> None:
        self._environ = environ
        self._may_see = may_see
        self._program = lru_cache(None)(lambda name: shutil.which(name, path=environ.get("PATH")))

    def judged(self, skill: Skill) -> Skill:
        unmet = "; ".join(self._missing(skill))
        return replace(skill, unmet=unmet) if unmet else skill

    def _missing(self, skill: Skill) -> Iterator[str]:
        given = skill.environment
        for name in skill.requires.env:
            if not self._environ.get(name) and not given.get(name):
                yield f"it needs {name} in the environment"
        for name in skill.requires.bin:
            if self._program(name) is None:
                yield f"it needs the program {name}"
        for variable in skill.variables:
            name = variable.name
            if variable.required and not variable.value:
                hidden = self._environ.get(name) and not self._may_see(skill.name, name)
                allow = "; [allow] there lets it see that of the environment" if hidden else ""
                yield f"it needs a value for its variable {name} (in {FILE}{allow})"


def _reason(fault: Exception) -> str:
    if isinstance(fault, OSError) and fault.errno in (errno.ELOOP, errno.ENOTDIR):
        return _IS_LINK
    if isinstance(fault, OSError):
        return fault.strerror or "it cannot be read"
    return str(fault)
