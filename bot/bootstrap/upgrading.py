"""Copies the database before a migration: the way back that `steward rollback` goes."""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path
from threading import Event, Thread
from typing import Any

from bot.bootstrap.service_manager import tell_status
from bot.domain.talk.errors import CopyUnwritable, StoreUnwritable
from bot.domain.text.visible_text import size
from bot.settings import Settings
from bot.visits.error_line import print_error

FOLDER = "backups"
"""The folder below home for copies without a place of their own."""

BEFORE = "before-upgrade-"
"""Beginning of the names of these copies, in the folder of backups."""

_KEPT = 2
"""Copies that are kept: an upgrade over several versions may need the one before, too."""


_TELL_EVERY = 5.0
"""Seconds between two lines about an upgrade that takes long."""

_ENDING = 2.0
"""Seconds below which nobody is told how many are left."""


@contextmanager
def copied_first(
    settings: Settings, revision: str, steps: Sequence[str]
) -> Iterator[Callable[[str], None]]:
    """Copies the database as it is, then tells how the upgrade gets on; the lock is held.

    Raises CopyUnwritable when there is no room: then nothing is upgraded.
    """
    begun = time.monotonic()
    _copy(settings, revision)
    # A step writes no more than the whole database anew, as the copy did.
    course = Course(len(steps), time.monotonic() - begun)
    over = Event()
    telling = Thread(target=_tell_on, args=(course, over), daemon=True)
    telling.start()
    try:
        yield course.step_done
    finally:
        over.set()
        telling.join()
    _tell(f"Upgraded: {len(steps)} of {len(steps)} steps, {course.seconds:,.0f} s.")


class Course:
    """Tells how far an upgrade is, and how long the rest may take.

    `step_seconds` is what a step may take, until the first one is done.
    """

    def __init__(
        self, steps: int, step_seconds: float, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._steps = steps
        self._each = step_seconds
        self._clock = clock
        self._begun = clock()
        self._done = 0

    @property
    def seconds(self) -> float:
        return self._clock() - self._begun

    def step_done(self, _: str) -> None:
        self._done += 1
        self._each = self.seconds / self._done

    @property
    def told(self) -> str:
        at = min(self._done + 1, self._steps)
        left = self._each * self._steps - self.seconds
        rest = f"about {left:,.0f} s more" if left > _ENDING else "nearly done"
        if self._done < self._steps and left <= _ENDING < self.seconds:
            rest = "longer than expected"
        return f"Upgrading: step {at} of {self._steps}, {self.seconds:,.0f} s so far, {rest}."


def _tell_on(course: Course, over: Event) -> None:
    while not over.wait(_TELL_EVERY):
        _tell(course.told)


def _tell(told: str) -> None:
    print_error(f"steward: {told}")
    tell_status(told)


def _copy(settings: Settings, revision: str) -> None:
    # Only a start that upgrades loads these.
    backups: Any = import_module("bot.bootstrap.backups")
    snapshot: Any = import_module("bot.adapters.sql.snapshot")
    folder = settings.home / FOLDER
    needed = snapshot.size_of(settings.database_url)
    _tell(f"This version upgrades the database. It is copied first: {size(needed)}.")
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        for left in folder.glob(f"{BEFORE}*.part*"):
            left.unlink()
        backups.check_room(folder, needed)
        file = folder / f"{BEFORE}{datetime.now(UTC):%Y%m%d-%H%M%S}-from-{revision}.db"
        spare = file.with_suffix(".part")
        snapshot.take(settings.database_url, spare)
        settle(spare, file)
    except CopyUnwritable:
        raise
    except StoreUnwritable as fault:
        raise CopyUnwritable(f"{folder} cannot be written: {fault}") from None
    except OSError as error:
        why = error.strerror or "no reason given"
        raise CopyUnwritable(f"{folder} cannot be written: {why}") from None
    for old in copies(settings.home)[_KEPT:]:
        old.unlink()
    _tell(f"Copied to {file}. `steward rollback` goes back to it. Upgrading …")


def copies(home: Path) -> list[Path]:
    """Returns the copies of a home, the newest first."""
    return sorted((home / FOLDER).glob(f"{BEFORE}*.db"), reverse=True)


def settle(spare: Path, file: Path) -> None:
    """Gives a file that is whole its name, so that both survive a power cut."""
    writing: Any = import_module("bot.adapters.backup.writing")
    with spare.open("rb") as written:
        writing.sync_file(written.fileno())
    spare.replace(file)
    writing.sync_folder(file.parent)
