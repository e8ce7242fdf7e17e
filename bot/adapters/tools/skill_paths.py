"""Paths in commands that name a file of the skill: `python3 scripts/check.py`."""

import os
import shlex
from pathlib import Path, PurePosixPath

from bot.domain.consent.command_line import parse_simple
from bot.domain.skills.skill import Skill
from bot.domain.value import frozen


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
