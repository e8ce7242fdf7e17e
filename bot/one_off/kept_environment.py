"""The environment of the program and a copy beside it; an update puts one in the other's place."""

import ctypes
import json
import shutil
from dataclasses import asdict
from pathlib import Path

from bot.bootstrap.backups import check_room
from bot.bootstrap.cut_off_update import NOTE, copy_of, spare_of
from bot.domain.talk.errors import SettingError, StoreUnwritable
from bot.domain.value import frozen

_HERE, _EXCHANGE = -100, 2
_MOST = 1_000_000


@frozen
class Note:
    """The facts that the next update needs to finish one that was cut off."""

    revision: str | None
    """The revision of the database from before."""
    unit: str = ""
    """The service that was stopped."""
    source: str = ""
    """The commit of a checkout from before."""


class KeptEnvironment:
    """An environment and its copy: first the new version is made in the copy, then they change.

    So a death at any moment leaves a whole version in the place of the environment. A note lies in
    the new one until it has proven itself.
    """

    def __init__(self, environment: Path) -> None:
        self.environment = environment
        self.copy, self._spare = copy_of(environment), spare_of(environment)

    def left(self) -> Note | None:
        """Returns the note of an update that was cut off; None where there was none."""
        place = self.environment if self.is_new() else self.copy
        try:
            told = json.loads((place / NOTE).read_text("utf-8"))
            return Note(**told)
        except (OSError, ValueError, TypeError):
            return None

    def is_new(self) -> bool:
        """Returns True while the new version is in place, and the one from before beside it."""
        return self.copy.exists() and (self.environment / NOTE).exists()

    def keep(self) -> None:
        """Copies the environment; raises StoreUnwritable when there is no room for it."""
        self.let_go()
        files = (file for file in self.environment.rglob("*") if not file.is_symlink())
        size = sum(file.stat().st_size for file in files if file.is_file())
        try:
            check_room(self.environment, 2 * size)
        except StoreUnwritable as fault:
            raise StoreUnwritable(f"Nothing was changed: {fault}.") from None
        try:
            shutil.copytree(self.environment, self._spare, symlinks=True)
            self._spare.rename(self.copy)
        except (OSError, shutil.Error) as error:
            shutil.rmtree(self._spare, ignore_errors=True)
            raise SettingError(f"{self.environment} cannot be copied: {error}.") from None

    def note(self, note: Note, *, place: Path | None = None) -> None:
        """Writes the note into the copy, which becomes the new version, or into another place."""
        file = (place or self.copy) / NOTE
        spare = file.with_suffix(".new")
        spare.write_text(json.dumps(asdict(note)), "utf-8")
        spare.replace(file)

    def settle(self) -> None:
        """Has the programs of the copy name the place where they will stand."""
        ours, theirs = bytes(self.copy), bytes(self.environment)
        for file in (self.copy / "bin").iterdir():
            if file.is_symlink() or not file.is_file() or file.stat().st_size > _MOST:
                continue
            text = file.read_bytes()
            if text.startswith(b"#!") and ours in text:
                file.write_bytes(text.replace(ours, theirs))

    def change(self) -> None:
        """Puts the copy in the place of the environment, and the environment in that of the copy.

        Where a file system cannot do that at once, there is none for a moment.
        """
        both = (_HERE, bytes(self.environment), _HERE, bytes(self.copy))
        rename = getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)
        if rename is not None and rename(*both, _EXCHANGE) == 0:
            return
        self.let_go_of(self._spare)
        self.environment.rename(self._spare)
        self.copy.rename(self.environment)
        self._spare.rename(self.copy)

    def put_back(self) -> None:
        """Puts the version from before in its place, if the new one stands there."""
        if self.is_new():
            self.change()
        self.let_go()

    def let_go(self) -> None:
        """Deletes the copy; from its first moment on, the environment is what counts."""
        self.let_go_of(self._spare)
        if self.copy.exists():
            self.copy.rename(self._spare)
        (self.environment / NOTE).unlink(missing_ok=True)
        self.let_go_of(self._spare)

    @staticmethod
    def let_go_of(folder: Path) -> None:
        shutil.rmtree(folder, ignore_errors=True)
