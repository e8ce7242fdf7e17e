"""Folders as a person, or somebody with bad intent, may leave them."""

import os
from pathlib import Path


def set_traps(workspace: Path, outside: Path) -> None:
    """Puts everything into a workspace that leads out of it, or is no plain file."""
    (workspace / "link").symlink_to(outside)
    (workspace / "file-link").symlink_to(outside / "secret")
    os.link(outside / "secret", workspace / "hard")
    os.mkfifo(workspace / "pipe")
    (workspace / "folder").mkdir()
    (workspace / "file").write_text("")


def names_in(folder: Path) -> list[str]:
    return sorted(entry.name for entry in folder.iterdir())
