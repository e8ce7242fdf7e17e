"""Finds a Steward that another user of this machine runs, which a person may have meant."""

import os
import pwd
from pathlib import Path

from bot.domain.text.visible_text import shown_name

_PROCESSES = Path("/proc")
_APART = (
    "{user} runs a Steward on this machine. This is another one, with chats and notes of its own. "
    "To talk to that one: sudo -iu {user} steward chat"
)
_SERVES = ["steward", "run"]
_SERVES_AS_MODULE = ("-m", "bot", "run")


def told_of_neighbour(processes: Path = _PROCESSES) -> str:
    """Returns a sentence about it; empty where none runs, or where the system does not tell."""
    try:
        folders = [one for one in processes.iterdir() if one.name.isdecimal()]
    except OSError:
        return ""
    for folder in folders:
        try:
            user = folder.stat().st_uid
            if user == os.geteuid() or not _serves((folder / "cmdline").read_bytes()):
                continue
            return _APART.format(user=shown_name(pwd.getpwuid(user).pw_name))
        except (OSError, KeyError):
            continue  # it has ended meanwhile, or its user has no name here
    return ""


def _serves(line: bytes) -> bool:
    """Returns True for the words of a process that serves."""
    words = line.decode(errors="replace").rstrip("\0").split("\0")
    if tuple(words[1:4]) == _SERVES_AS_MODULE:
        return True
    # A script stands behind its interpreter.
    return any([Path(one).name for one in begun] == _SERVES for begun in (words[:2], words[1:3]))
