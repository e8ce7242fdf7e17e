"""The lines that were typed before, in a file for one user alone."""

from pathlib import Path

from prompt_toolkit.history import FileHistory

from bot.adapters.terminal.typed import KEY

_MOST_BYTES = 200_000
"""Bytes above which the oldest half of the file is dropped at the next start."""


class History(FileHistory):
    """Keeps the newest lines but no keys of cards: ↑ and Enter must not press one again."""

    def __init__(self, path: Path) -> None:
        _made(path)
        super().__init__(path)

    def append_string(self, string: str) -> None:
        if not KEY.fullmatch(string.strip()):
            super().append_string(string)


def _made(path: Path) -> None:
    """Creates the file if it is missing, closes it to others, and keeps it small."""
    path.touch(mode=0o600)
    path.chmod(0o600)
    if path.stat().st_size <= _MOST_BYTES:
        return
    kept = path.read_bytes()[-_MOST_BYTES // 2 :]
    # Each line begins behind an empty line with a remark on its time.
    whole = kept.find(b"\n# ")
    new = path.with_name(f"{path.name}.new")
    new.touch(mode=0o600)
    new.write_bytes(kept[whole:] if whole >= 0 else b"")
    new.replace(path)
