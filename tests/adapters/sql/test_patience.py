"""Faults of a database are told apart by their codes, and waited for in one place."""

import asyncio
import sqlite3

import pytest
from psycopg import errors
from sqlalchemy import exc

from bot.adapters.sql.faults import translated
from bot.adapters.sql.patience import Patience
from bot.domain.talk.errors import (
    StoreAway,
    StoreBusy,
    StoreDamaged,
    StoreError,
    StoreFault,
    StoreInDoubt,
    StoreRefused,
    StoreUnwritable,
)

KINDS = [
    (errors.AdminShutdown, StoreAway),
    (errors.CrashShutdown, StoreAway),
    (errors.CannotConnectNow, StoreAway),
    (errors.TooManyConnections, StoreAway),
    (errors.ReadOnlySqlTransaction, StoreAway),
    (errors.ConnectionFailure, StoreAway),
    (errors.IdleInTransactionSessionTimeout, StoreAway),
    (errors.OperationalError, StoreAway),
    (errors.InvalidPassword, StoreRefused),
    (errors.InvalidCatalogName, StoreRefused),
    (errors.LockNotAvailable, StoreBusy),
    (errors.DeadlockDetected, StoreBusy),
    (errors.QueryCanceled, StoreBusy),
    (errors.OutOfMemory, StoreBusy),
    (errors.DiskFull, StoreUnwritable),
    (errors.InsufficientPrivilege, StoreUnwritable),
    (errors.DataCorrupted, StoreDamaged),
    (errors.IndexCorrupted, StoreDamaged),
    (errors.UndefinedTable, StoreFault),
    (errors.DataError, StoreFault),
]


@pytest.mark.parametrize(("raised", "meant"), KINDS, ids=lambda one: one.__name__)
def test_a_fault_of_the_server_says_what_it_means_for_the_caller(
    raised: type[Exception], meant: type[StoreError]
) -> None:
    wrapper = exc.DBAPIError
    if issubclass(raised, errors.OperationalError):
        wrapper = exc.OperationalError
    with pytest.raises(StoreError) as caught, translated():
        raise wrapper("SELECT 1", None, raised("something happened"))
    assert type(caught.value) is meant


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        ('database "x" does not exist', StoreRefused),
        ('password authentication failed for user "x"', StoreRefused),
        ("the database system is starting up", StoreAway),
        ("sorry, too many clients already", StoreAway),
    ],
)
def test_a_connection_that_is_refused_for_a_setting_is_told_by_its_words(
    words: str, meant: type[StoreError]
) -> None:
    told = f'connection failed: connection to server at "127.0.0.1", port 1 failed: FATAL:  {words}'
    with pytest.raises(StoreError) as caught, translated():
        raise exc.OperationalError("", None, errors.OperationalError(told))
    assert type(caught.value) is meant


@pytest.mark.parametrize(
    ("code", "meant"),
    [
        (sqlite3.SQLITE_BUSY_SNAPSHOT, StoreBusy),
        (sqlite3.SQLITE_FULL, StoreUnwritable),
        (sqlite3.SQLITE_READONLY_DBMOVED, StoreUnwritable),
        (sqlite3.SQLITE_CORRUPT_INDEX, StoreDamaged),
        (sqlite3.SQLITE_NOTADB, StoreDamaged),
        (sqlite3.SQLITE_ERROR, StoreFault),
    ],
)
def test_a_fault_of_a_file_says_what_it_means_for_the_caller(
    code: int, meant: type[StoreError]
) -> None:
    error = sqlite3.DatabaseError("something happened")
    error.sqlite_errorcode = code
    with pytest.raises(StoreError) as caught, translated():
        raise error
    assert type(caught.value) is meant


class Flaky:
    """Work that fails in turn with these faults, and then can be done."""

    def __init__(self, *faults: StoreError) -> None:
        self._faults = list(faults)
        self.tries = 0

    async def __call__(self) -> str:
        self.tries += 1
        if self._faults:
            raise self._faults.pop(0)
        return "done"


def begun() -> Patience:
    patience = Patience()
    patience.begin()
    return patience


async def test_work_is_done_when_the_database_is_back() -> None:
    work = Flaky(StoreAway("gone"), StoreUnwritable("full"))
    assert await begun().through(work, writes=True) == "done"
    assert work.tries == 3


async def test_work_that_may_have_been_done_is_left_to_the_caller_once_it_is_back() -> None:
    work = Flaky(StoreInDoubt("cut"))
    with pytest.raises(StoreInDoubt):
        await begun().through(work, writes=True, repeatable=False)
    assert work.tries == 1


async def test_a_lock_is_not_waited_for_without_an_end() -> None:
    with pytest.raises(StoreBusy):
        await begun().through(Flaky(*[StoreBusy("locked")] * 9), writes=True)


@pytest.mark.parametrize("fault", [StoreUnwritable("full"), StoreRefused("no password")])
async def test_at_the_start_a_person_is_told_what_only_a_person_can_change(
    fault: StoreError,
) -> None:
    with pytest.raises(type(fault)):
        await Patience().through(Flaky(fault), writes=True)


async def test_work_that_is_being_cancelled_waits_for_nothing() -> None:
    patience, trying = begun(), asyncio.Event()

    async def work() -> None:
        try:
            trying.set()
            await asyncio.Event().wait()
        finally:
            await patience.through(Flaky(StoreAway("gone"), StoreAway("gone")), writes=True)

    task = asyncio.create_task(work())
    await trying.wait()
    task.cancel()
    with pytest.raises(StoreAway):
        await task


async def test_who_waits_for_the_way_back_hears_of_it() -> None:
    patience = begun()
    returned = asyncio.create_task(patience.returned())
    await patience.through(Flaky(StoreAway("gone")), writes=False)
    await returned
