"""Backups that are taken at any moment of a storm of kills; each is brought back and verified.

`python -m tests.e2e.storm_of_copies COUNT SEED` takes so many by hand and prints what it saw; with
`postgres` the rows come from a server of its own.
"""

import asyncio
import random
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from contextlib import nullcontext, suppress
from dataclasses import dataclass, field
from pathlib import Path

from bot.adapters.sql.moment import moment_of
from bot.bootstrap.backups import make_backup
from bot.domain.talk.errors import SettingError, StoreError
from bot.one_off.backup_commands import verify
from bot.one_off.restore_command import restored
from bot.settings import Settings, read_settings
from tests.e2e.own_server import OwnServer, own_server
from tests.e2e.storm import Forecast, storm

_SECONDS = 20.0
"""The length of one storm; another one follows until there are enough copies."""

_BEGUN = (
    "SELECT 'turn ' || id FROM turn WHERE state <> 'settled' AND stop_asked IS NULL",
    "SELECT 'inbox ' || key FROM inbox WHERE state IN ('new', 'waiting')",
    "SELECT 'outbox ' || key FROM outbox WHERE state = 'owed' AND shown_version = 0"
    " AND key NOT LIKE 'brought-back:%' AND key NOT LIKE 'card:%'",
)
"""What a home that was brought back would begin a second time."""


@dataclass
class Copies:
    """Counts of copies; every list has to be empty."""

    taken: int = 0
    refused: Counter[str] = field(default_factory=Counter[str])
    """Tries that ended because the database was locked or not there yet: nothing was written."""
    at_work: int = 0
    """Copies that held work which had begun."""
    faults: list[str] = field(default_factory=list[str])


def copied(settings: Settings, folder: Path, count: Copies) -> None:
    """Takes a backup, proves it, brings it back, and proves that."""
    folder.mkdir()
    file, home = folder / "b.tar.gz", folder / "again"
    try:
        make_backup(settings, file)
    except (StoreError, SettingError) as fault:
        count.refused[str(fault)[:60]] += 1
        return
    told: list[str] = []
    if verify(settings, file, told.append) != 0:
        count.faults.append(f"the file: {told}")
    if restored(settings, file, told.append, folder=home, into=home) != 0:
        count.faults.append(f"the way back: {told}")
    count.at_work += any("Stopped: " in line for line in told)
    told.clear()
    if verify(settings, home, told.append) != 0:
        count.faults.append(f"the home: {told}")
    with moment_of(f"sqlite:///{home / 'steward.db'}") as connection:
        for begun in _BEGUN:
            count.faults += [str(row) for (row,) in connection.exec_driver_sql(begun)]
    count.taken += 1
    shutil.rmtree(folder)


async def copies(folder: Path, wanted: int, seed: int, server: OwnServer | None = None) -> Copies:
    """Takes so many copies, in as many storms as it takes."""
    count, chance, storms = Copies(), random.Random(seed), 0
    while count.taken < wanted and not count.faults:
        within = folder / f"storm-{storms}"
        within.mkdir()
        environ = {"STEWARD_HOME": str(within / "home")}
        if server is not None:
            environ["STEWARD_DATABASE_URL"] = server.url
        settings = read_settings(environ, within / "home")
        forecast = Forecast(seconds=_SECONDS, seed=seed + storms)
        raging = asyncio.create_task(storm(within, forecast, server))
        number = 0
        try:
            while not raging.done() and count.taken < wanted and not count.faults:
                await asyncio.sleep(chance.uniform(0, 0.3))
                number += 1
                await asyncio.to_thread(copied, settings, within / f"copy-{number}", count)
        finally:
            raging.cancel()
            with suppress(asyncio.CancelledError, AssertionError):
                await raging
        storms += 1
    return count


def main(arguments: Sequence[str]) -> int:
    wanted = own_server() if "postgres" in arguments else nullcontext()
    with tempfile.TemporaryDirectory() as folder, wanted as server:
        count = asyncio.run(copies(Path(folder), int(arguments[0]), int(arguments[1]), server))
    sys.stdout.write(f"{vars(count)}\n")
    return 1 if count.faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
