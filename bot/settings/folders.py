"""Looks whether the folders of the settings can be used, and lie apart from secrets."""

import os
from pathlib import Path

from bot.domain.talk.errors import SettingError
from bot.settings.sections import Settings


def check_folders(settings: Settings) -> None:
    _check_folder("STEWARD_HOME", settings.home)
    home = settings.home
    if home.is_dir() and not os.access(home, os.R_OK | os.X_OK):
        # The workspace is below it as a rule, and would be blamed.
        raise SettingError(f"STEWARD_HOME cannot be {home}: your user may not read that folder.")
    _check_folder("STEWARD_WORKSPACE", settings.workspace)


def _check_folder(name: str, path: Path) -> None:
    """Raises SettingError unless the path is a folder or can become one; makes no folder."""
    for place in (path, *path.parents):
        try:
            if place.is_dir():
                return
            if place.exists():
                raise SettingError(f"{name} cannot be {path}: {place} is not a folder.")
        except OSError as error:
            raise SettingError(f"{name} cannot be {path}: {error.strerror}.") from error


def check_apart(settings: Settings, folder: Path) -> None:
    """Refuses a workspace that holds secrets or records, since tools read all of it unasked."""
    workspace = settings.workspace.resolve()
    files = (folder / name for name in (".env", "steward.toml"))
    for ours in (settings.home, *(file for file in files if file.exists())):
        if ours.resolve().is_relative_to(workspace):
            raise SettingError(f"STEWARD_WORKSPACE cannot be {workspace}: it holds {ours.name}.")
