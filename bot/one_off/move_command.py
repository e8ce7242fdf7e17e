"""The command `steward move`: all rows go to the other kind of database, and each is compared."""

import os
from collections.abc import Callable
from functools import partial

from bot.adapters.sql.carrying import counted, difference, holds_rows
from bot.adapters.sql.migrating import inspect_only
from bot.adapters.sql.moment import change_of, file_at, moment_of
from bot.adapters.sql.snapshot import begin_anew, replace_all, size_of
from bot.bootstrap.backups import DATABASE, check_room
from bot.bootstrap.database import told
from bot.bootstrap.upgrading import settle
from bot.domain.talk.errors import SettingError, StoreTooOld, StoreUnavailable
from bot.one_off.row_counts import say_copied
from bot.one_off.standing_alone import standing_alone
from bot.settings import Settings
from bot.settings.forms import database_url, without_password

Say = Callable[[str], None]

SQLITE = "sqlite"
"""Stands for the file in the home."""

_UNUSABLE = "The database to move to cannot be used: {}."
_FORM = f"write postgresql://user@host/name, or {SQLITE} for the file in the home"


def moved(settings: Settings, to: str, say: Say) -> int:
    """Copies all rows to another database, compares each, and says what to set then."""
    try:
        url = _target(settings, to)
    except StoreUnavailable as fault:
        raise type(fault)(_UNUSABLE.format(fault)) from None
    try:
        with standing_alone(settings):
            return _moved(settings, url, say)
    except StoreUnavailable as fault:
        raise told(settings, fault) from None


def _moved(settings: Settings, url: str, say: Say) -> int:
    file = file_at(url)
    place = url
    if file is not None:
        check_room(file.parent, size_of(settings.database_url))
        spare = file.with_suffix(".part")
        spare.unlink(missing_ok=True)
        os.close(os.open(spare, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        place = f"sqlite:///{spare}"
    count = _carried(settings.database_url, place, say)
    if file is not None:
        settle(file.with_suffix(".part"), file)
    say(f"{count:,} rows were copied, and each is the same.")
    if file is None:
        say(f"Now set STEWARD_DATABASE_URL={without_password(url)}, with its password, and start.")
    else:
        say("Now remove STEWARD_DATABASE_URL from your settings, and start.")
    say("The old database is as it was: delete it when you no longer want the way back.")
    return 0


def _target(settings: Settings, to: str) -> str:
    """Returns the address of an empty database of the other kind; raises SettingError."""
    url = f"sqlite:///{settings.home / DATABASE}" if to == SQLITE else _checked(to)
    file = file_at(url)
    if (file is None) is (file_at(settings.database_url) is None):
        raise SettingError("Steward uses that kind of database already.")
    if file is not None:
        if file.exists():
            raise SettingError(f"{file} is there already, and is not written over.")
        return url
    with moment_of(url) as connection:
        if holds_rows(connection):
            raise SettingError("That database has rows already, and is not written over.")
    return url


def _checked(to: str) -> str:
    try:
        url = database_url(to)
    except ValueError:
        url = ""
    if not url.startswith("postgresql"):
        raise SettingError(_UNUSABLE.format(_FORM))
    return url


def _carried(one: str, other: str, say: Say) -> int:
    """Copies everything in one transaction; a row that differs undoes all of it."""
    with moment_of(one) as source, change_of(other) as target:
        try:
            inspect_only(source)
        except StoreTooOld as due:
            raise SettingError(f"Start Steward once, then move: {due}.") from None
        replace_all(source, target, partial(say_copied, say))
        if odd := difference(source, target):
            raise SettingError(f"A row is not the same there, so nothing was moved: {odd}")
        begin_anew(target)
        return sum(counted(source).values())
