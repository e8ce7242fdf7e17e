"""Folders of a person: their home of Steward, and projects of theirs that they stand in."""

import os
import stat
from pathlib import Path

from platformdirs import user_data_path

from bot.shipped import checkout

_LONGEST = 600
"""Bytes of the path of a project: three times as many stand in an address, which is indexed."""


def persons_home() -> Path:
    """Returns the folder in which the system keeps the data of this person."""
    return user_data_path("steward", appauthor=False)


def may_be_project(folder: Path, home: Path, workspace: Path) -> bool:
    """Returns True unless it has to do with a home, or the settings name another workspace.

    A folder whose path is too long for an address is none either.
    """
    if len(os.fsencode(folder)) > _LONGEST:
        return False
    home, person = home.resolve(), Path("~").expanduser().resolve()
    apart = not folder.is_relative_to(home) and not home.is_relative_to(folder)
    chosen = workspace.resolve() != home / "workspace"
    return apart and not chosen and not person.is_relative_to(folder) and folder != checkout()


def is_own_folder(folder: Path) -> bool:
    """Returns True for a folder of this user in which nobody else may write.

    Where files are for the group too, it is the user's own group, which has one member as a rule.
    """
    status = folder.stat()
    others = status.st_mode & stat.S_IWOTH
    group = status.st_mode & stat.S_IWGRP and status.st_gid != os.getegid()
    return status.st_uid == os.geteuid() and not (others or group)
