"""Paths in commands that mean a file of the skill: `python3 scripts/check.py`."""

import os
import shlex
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from bot.domain.command_line import parse_simple
from bot.domain.skill import Skill


@dataclass(frozen=True, slots=True)
class Resolved:
    """A command as it runs, and the paths in it that were taken from the skill's folder."""

    command: str
    taken: tuple[str, ...] = ()


def resolved(command: str, workspace: Path, skill: Skill | None) -> Resolved:
    """The command with paths that the workspace does not have and the skill does; blocks.

    Skills name their files by a path from their own folder. Only a simple command is touched: of
    anything else nobody can say what its words come to. Links are no files of a skill here.
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
