"""A command of the machine, run to its end."""

import subprocess
from pathlib import Path

from bot.domain.talk.errors import SettingError

_LAST = 600
"""Characters of its last words that are told."""


def output_of(*command: str) -> str:
    """Returns what a command printed; raises SettingError with its last words if it fails."""
    done = subprocess.run(
        command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        told = " ".join((done.stderr or done.stdout).split())[-_LAST:]
        raise SettingError(f"{Path(command[0]).name} failed: {told}")
    return done.stdout
