"""The command `steward update`: brings the program up to date, or back if that fails."""

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from bot.adapters.sql.migrating import revision_of
from bot.adapters.sql.moment import file_at, moment_of
from bot.bootstrap.cut_off_update import under_way
from bot.bootstrap.database import told
from bot.bootstrap.page import is_taken
from bot.bootstrap.program import unserved
from bot.domain.talk.errors import SettingError, StewardError, StoreUnavailable
from bot.one_off.first_poll import Commands, Keeper, Unit, keeper_of
from bot.one_off.installation import Installation, installation
from bot.one_off.kept_environment import Note
from bot.one_off.newer_version import NewerVersion
from bot.one_off.served_process import Standing, standing_of
from bot.settings import Settings
from bot.shipped import command
from bot.shipped.version import running_version

Say = Callable[[str], None]


def updated(
    settings: Settings,
    say: Say,
    *,
    folder: Path,
    source: Path | None,
    agreed: Callable[[], bool],
    wait: float,
) -> int:
    """Says what is new, installs it when that is agreed to, and takes it back if it fails."""
    standing = standing_of(settings, folder)
    with installation(source) as place, under_way(place.kept.environment):
        left = place.kept.left()
        if left is not None and place.kept.is_new():
            say(f"The update to {running_version()} was cut off before it was tried.")
            return _tried(_Update(standing, place, say, wait, left))
        newest = place.newest()
        if newest is None:
            say(f"Steward {running_version()} is the newest version there is.")
            return 0
        say(f"Steward {newest.version} is available; {running_version()} is installed.")
        say("What changes:")
        for line in newest.changes():
            say(line)
        say(f"This is for the home {standing.settings.home}.")
        if not agreed():
            say("Nothing was changed.")
            return 1
        unit = "" if left is None else left.unit
        return _update(_Update(standing, place, say, wait, Note(None, unit)), newest)


class _Update:
    """One update: what it works on, and where everything stood before."""

    def __init__(
        self,
        standing: Standing,
        place: Installation,
        say: Say,
        wait: float,
        left: Note,
    ) -> None:
        """With `left`, the note of an update that was cut off."""
        self.place, self.say, self.wait = place, say, wait
        self._settings = standing.settings
        self.commands = Commands(standing)
        self.keeper: Keeper = keeper_of(standing, self.commands, left.unit)
        port = standing.settings.page.port
        self.page_alone = bool(unserved(standing.settings)) and bool(port)
        # Root may not see the tokens of a service that runs.
        served = isinstance(self.keeper, Unit) or not unserved(standing.settings)
        # Where the port is in use, people may talk in the terminal alone.
        self.serves = served or (self.page_alone and not is_taken(port))
        if place.kept.is_new():
            self.note = left
        else:
            self.note = Note(self.revision_now(), self.keeper.unit, place.source)

    def revision_now(self) -> str | None:
        url = self._settings.database_url
        file = file_at(url)
        if file is not None and not file.exists():
            return None
        try:
            with moment_of(url) as connection:
                return revision_of(connection)
        except StoreUnavailable as fault:
            raise told(self._settings, fault) from None

    def rolled_back(self) -> tuple[int, str]:
        """Takes an upgrade of the database back if there was one; returns a code and what it said.

        What cannot be read may have been upgraded: the command that goes back says more.
        """
        with suppress(StoreUnavailable):
            if self.note.revision in (None, self.revision_now()):
                return 0, ""
        return self.commands.run("rollback", "--yes")


def _update(work: _Update, newest: NewerVersion) -> int:
    if work.note.revision is not None:
        code, said = work.commands.run("backup")
        if code != 0:
            raise SettingError(f"Nothing was changed, because no backup could be made: {said}")
        work.say(f"Made a backup: {said}")
    work.say("Copying the installed version, as the way back …")
    work.place.kept.keep()
    try:
        work.say(f"Installing {newest.version} …")
        work.place.prepare(newest)
        work.keeper.stop()
        work.place.install(newest, work.note)
    except (StewardError, OSError, KeyboardInterrupt) as fault:
        return _take_back(work, newest.version, _told(fault))
    return _tried(work, newest.version)


def _tried(work: _Update, version: str = running_version()) -> int:
    """Tries the version that is installed now; keeps it if it is good, or takes it back."""
    try:
        why = _why_not(work)
    except (StewardError, OSError, KeyboardInterrupt) as fault:
        why = _told(fault)
    if why:
        return _take_back(work, version, why)
    work.place.kept.let_go()
    reached = "has opened its page" if work.page_alone else "has reached its chat apps"
    if not work.serves:
        reached = "is installed"
    work.say(f"Steward {version} {reached}. {work.keeper.leave()}")
    if not (work.serves and work.note.revision):
        return 0
    code, said = work.commands.run("verify")
    if code != 0:
        work.say(f"But `{command('verify')}` found faults: {said}")
    return code


def _told(fault: BaseException) -> str:
    return str(fault) or "It was interrupted."


def _why_not(work: _Update) -> str:
    """Tries the new version; returns why it is not good, or nothing when it is."""
    if work.serves and work.note.revision is not None:
        work.say("Starting it …")
        return work.keeper.reached(work.wait)
    # Nobody is served, so there is no first poll; its settings must be read all the same.
    code, said = work.commands.run("config")
    return said if code != 0 else ""


def _take_back(work: _Update, version: str, why: str) -> int:
    """Puts the program and its database back, and says so."""
    work.say(f"The update to {version} failed: {why}")
    work.keeper.stop()
    # The newer one knows both shapes of the database; the one from before may have to do.
    code, said = work.rolled_back()
    work.place.go_back(work.note)
    if code != 0:
        code, said = work.rolled_back()
    if code != 0:
        work.say(f"Steward {running_version()} is back, but its database is not: {said}")
        work.say(f"To bring it back, run `{command('rollback')}`; see docs/backup.md.")
        return 1
    work.say(f"Steward {running_version()} is back, with its database.")
    work.say(work.keeper.leave())
    return 1
