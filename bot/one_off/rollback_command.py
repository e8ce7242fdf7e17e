"""The command `steward rollback`: goes back to the copy from before the last upgrade."""

import re
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

from bot.adapters.sql.carrying import counted, is_as_before
from bot.adapters.sql.migrating import REVISIONS, revision_of
from bot.adapters.sql.moment import change_of, file_at, moment_of
from bot.adapters.sql.reviving import LaidDown, lay_down, owe_owners
from bot.adapters.sql.snapshot import replace_all, take
from bot.bootstrap.database import told
from bot.bootstrap.upgrading import BEFORE, FOLDER, copies, settle
from bot.domain.talk.errors import SettingError, StoreUnavailable
from bot.domain.talk.message import Outbound, OutboundKind, Plain
from bot.domain.value import frozen
from bot.flow.commanding import wording
from bot.one_off.row_counts import KNOWN_ROWS, told_rows
from bot.one_off.standing_alone import standing_alone
from bot.settings import Settings

Say = Callable[[str], None]

_LAST = "SELECT subject FROM audit WHERE action = 'program.started' ORDER BY id DESC LIMIT 1"
_OF_STARTS = frozenset({"audit", "greeting", "sending", "session"})
"""Tables that a start writes to although nothing happens."""

_MOMENT = re.compile(rf"{BEFORE}(\d{{8}}-\d{{6}})-")


@frozen
class _Way:
    """The way back: the copy, what it holds, and what is lost by it."""

    copy: Path
    revision: str
    version: str
    """The version of the program that used it last."""
    lost: dict[str, int]
    quiet: bool
    """True when nothing happened since: then all goes on as if there had been no upgrade."""

    @property
    def losses(self) -> list[str]:
        told = (told_rows(table, self.lost.get(table, 0)) for table in KNOWN_ROWS)
        return [words for words in told if words]

    @property
    def moment(self) -> str:
        found = _MOMENT.match(self.copy.name)
        if found is None:
            return "before the upgrade"
        at = datetime.strptime(found[1], "%Y%m%d-%H%M%S").replace(tzinfo=UTC)
        return f"{at:%Y-%m-%d %H:%M} UTC"


def rolled_back(settings: Settings, say: Say, *, agreed: Callable[[], bool]) -> int:
    """Says what was written since the upgrade, and goes back when that is agreed to."""
    try:
        return _rolled_back(settings, say, agreed)
    except StoreUnavailable as fault:
        raise told(settings, fault) from None


def _rolled_back(settings: Settings, say: Say, agreed: Callable[[], bool]) -> int:
    with standing_alone(settings):
        way = _way(settings)
        say(f"This goes back to {way.copy.name}, from before the upgrade.")
        for loss in way.losses:
            say(f"You lose: {loss}.")
        if way.quiet:
            say("Nothing happened since, so nothing is lost.")
        if not agreed():
            say("Nothing was changed.")
            return 1
        kept = _keep(settings)
        laid = _go_back(settings, way, kept)
    say(f"Done. The newer database is kept in {kept}.")
    if aside := _told_aside(laid):
        say(f"These do not start again: {aside}.")
    if not way.quiet:
        say("Owners are told in their chats at the next start.")
    before = f"version {way.version}" if way.version else "the version from before"
    say(f"Now start {before}; this one would upgrade the database again.")
    return 0


def _way(settings: Settings) -> _Way:
    found = copies(settings.home)
    if not found:
        raise SettingError(f"There is no copy from before an upgrade in {settings.home / FOLDER}.")
    with moment_of(f"sqlite:///{found[0]}") as copy, moment_of(settings.database_url) as live:
        revision = revision_of(copy) or ""
        if revision not in REVISIONS:
            raise SettingError(f"{found[0]} is from a version that this one does not know.")
        if revision_of(live) == revision:
            raise SettingError(
                "There is nothing to take back: the database was not upgraded, or is back already."
            )
        before, now = counted(copy), counted(live)
        version = copy.exec_driver_sql(_LAST).scalar() or ""
        quiet = is_as_before(copy, live, _OF_STARTS)
    lost = {table: count - before.get(table, 0) for table, count in now.items()}
    return _Way(found[0], revision, version, lost, quiet)


def _keep(settings: Settings) -> Path:
    """Copies what is there now, as nobody can be sure never to want it."""
    kept = settings.home / FOLDER / f"rolled-back-{datetime.now(UTC):%Y%m%d-%H%M%S}.db"
    take(settings.database_url, kept)
    return kept


def _go_back(settings: Settings, way: _Way, kept: Path) -> LaidDown | None:
    """Puts the copy in place: a death on the way leaves the one or the other."""
    spare = way.copy.with_name("going-back.part")
    spare.unlink(missing_ok=True)
    shutil.copyfile(way.copy, spare)
    spare.chmod(0o600)
    url, laid = f"sqlite:///{spare}", None
    if not way.quiet:
        now = datetime.now(UTC)
        with change_of(url) as connection:
            laid = lay_down(connection, now)
            owe_owners(connection, _notice(way, laid, kept), now)
    _fold(spare)
    file = file_at(settings.database_url)
    if file is not None:
        _fold(file)
        settle(spare, file)
        return laid
    with moment_of(url) as source, change_of(settings.database_url) as target:
        replace_all(source, target)
    spare.unlink()
    return laid


def _notice(way: _Way, laid: LaidDown, kept: Path) -> Outbound:
    """Returns the message to owners, whose version of the program shows it next."""
    lines = [
        f"📦 An upgrade was taken back: I am as I was on {way.moment}.",
        f"Lost: {', '.join(way.losses) or 'changes since then'}.",
    ]
    if aside := _told_aside(laid):
        lines.append(f"These do not start again: {aside}. Send again what still matters.")
    lines.append(f"What was lost is kept on my machine, in {FOLDER}/{kept.name}.")
    return Outbound(OutboundKind.NOTICE, (Plain("\n".join(lines)),))


def _told_aside(laid: LaidDown | None) -> str:
    """Returns the numbers of what the copy had begun."""
    if laid is None:
        return ""
    counts = (
        (laid.turns, "piece of work", "pieces of work"),
        (laid.unread + sum(count for _, count in laid.waiting), "waiting message", ""),
        (len(laid.held), "message to be sent", "messages to be sent"),
    )
    return ", ".join(wording.counted(*told) for told in counts if told[0])


def _fold(file: Path) -> None:
    """Leaves a database without a log beside it: another file's log must not be taken for its."""
    with closing(sqlite3.connect(file, isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode = DELETE")
