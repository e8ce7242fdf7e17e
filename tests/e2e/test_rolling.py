"""A new version takes over from 0.2.0 while both serve one database: people notice nothing."""

import asyncio
import random
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import suppress
from pathlib import Path

import pytest

from bot.adapters.sql.migrating import REVISIONS
from tests.e2e.launching import Process
from tests.e2e.records import ServerRecords
from tests.e2e.steward import Steward
from tests.e2e.storm import Forecast, Storm, Tally, Wish, faults
from tests.e2e.test_rollback import emptied, revision_at, source
from tests.lacking import missing
from tests.migrations.next_version import NEXT, one_more_step
from tests.ports import free_port

__all__ = ["source"]
pytestmark = [
    pytest.mark.postgres,
    pytest.mark.timeout(300),
    pytest.mark.telegrams_own("who stores and who works is the same question on each platform"),
]

ORIGIN = "https://bot.example.org"
ANSWERS = 10
"""Messages that are answered in each part of the upgrade."""


class Upgrade(Storm):
    """People who talk while versions change; Telegram calls the open doors by turns.

    With `polls` one of the processes asks Telegram, and there are no doors.
    """

    def __init__(
        self, steward: Steward, url: str, source: Path | None = None, *, polls: bool = False
    ) -> None:
        super().__init__(steward, Forecast(seconds=0, seed=7))
        self.url = url
        self._polls = polls
        self._came = "getMe" if polls else "setWebhook"
        self._source = source
        self.processes: dict[str, Process] = {}
        self._doors: dict[str, int] = {}
        steward.records = ServerRecords(url)
        # Who dies may have sent it already.
        steward.foreseen += ["message to delete not found", "message is not modified"]
        # A poll of 0.2.0 knows nothing of the one that follows it.
        steward.foreseen += ["terminated by other getUpdates request"] * polls
        steward.settings |= {
            "STEWARD_DATABASE_URL": url,
            "STEWARD_OWNERS": ",".join(steward.account(person) for person in self._people),
            "STEWARD_WORKSPACE": str(steward.workspace),
        }
        if not polls:
            steward.settings |= {
                "TELEGRAM_WEBHOOK_URL": f"{ORIGIN}/hook",
                "TELEGRAM_WEBHOOK_SECRET": "a-secret-that-all-of-them-know",
            }

    async def join(self, name: str, *, old: bool = False) -> None:
        """Have one more process work, of the newest version or of 0.2.0."""
        steward, port = self._steward, free_port()
        came = len(steward.telegram.calls_of(self._came))
        own = {"STEWARD_HOME": str(steward.folder / name), "STEWARD_WEBHOOK_PORT": str(port)}
        if not old:
            self.processes[name] = await steward.launched("run", **own)
        else:
            source = str(self._source)
            with (steward.folder / "old.txt").open("ab") as output:
                self.processes[name] = await asyncio.create_subprocess_exec(
                    *(sys.executable, "-m", "bot", "run"),
                    cwd=source,
                    env=steward.settings | own | {"PYTHONPATH": source},
                    stdin=asyncio.subprocess.DEVNULL,
                    stdout=output,
                    stderr=output,
                )
        await steward.until(lambda: len(steward.telegram.calls_of(self._came)) > came)
        self._doors[name] = port

    async def leave(self, name: str) -> int:
        """Have a process end in order, once nothing more is sent to it."""
        del self._doors[name]
        process = self.processes.pop(name)
        process.terminate()
        return await process.wait()

    def kill(self, name: str) -> None:
        """Have a process die in the middle of its work."""
        del self._doors[name]
        self.processes[name].kill()

    async def asks(self) -> None:
        """Have the first person ask, and wait for the answer."""
        number = self._say(self._people[0], Wish.ASK)
        self._call(*self._doors.values())
        assert await self._answered(self._people[0], number)

    @property
    def asked(self) -> int:
        """The number of the newest message."""
        return len(self._wishes)

    async def goes_on(self) -> None:
        """Wait until people have got some more answers."""
        wanted = self._answers() + ANSWERS
        await self._steward.until(lambda: self._answers() >= wanted)

    async def through(self, upgrade: Callable[[], Awaitable[None]]) -> Tally:
        """Has people talk meanwhile, waits until all is quiet, and counts."""
        async with asyncio.TaskGroup() as group:
            knocking = group.create_task(self._knock(), name="telegram")
            async with asyncio.TaskGroup() as people:
                for person in self._people:
                    people.create_task(self._talk(person), name=f"person {person.id}")
                await upgrade()
                self._over = True
            await self._steward.recorded()
            tally = await self._counted()
            knocking.cancel()
        return tally

    async def _knock(self) -> None:
        """Has Telegram call another open door every moment."""
        while True:
            if self._doors and not self._polls:
                self._call(random.choice([*self._doors.values()]))
            await asyncio.sleep(0.1)

    def _call(self, port: int) -> None:
        self._steward.telegram.route(ORIGIN, f"http://127.0.0.1:{port}")

    def _answers(self) -> int:
        return sum(len(self._texts(person)) for person in self._people)

    async def end(self) -> None:
        for process in self.processes.values():
            with suppress(ProcessLookupError):
                process.kill()
            await process.wait()


@pytest.fixture
async def upgrade(
    own_postgres_url: str, steward: Steward, source: Path | None
) -> AsyncIterator[Upgrade]:
    """An empty database, and nobody serves yet."""
    if source is None:
        missing("no history of the checkout", "git fetch --unshallow")
    emptied(own_postgres_url)
    upgrade = Upgrade(steward, own_postgres_url, source)
    try:
        yield upgrade
    finally:
        await upgrade.end()


async def test_messages_are_answered_once_through_a_rolling_upgrade(
    upgrade: Upgrade,
) -> None:
    asked_before = 0

    async def versions_change() -> None:
        nonlocal asked_before
        await upgrade.join("old", old=True)
        await upgrade.join("older", old=True)
        await upgrade.goes_on()
        assert revision_at(upgrade.url) < REVISIONS[-1]
        await upgrade.join("new")
        assert revision_at(upgrade.url) == REVISIONS[-1]
        await upgrade.goes_on()
        assert await upgrade.leave("old") == 0
        await upgrade.join("newer")
        await upgrade.goes_on()
        upgrade.kill("older")
        asked_before = upgrade.asked
        await upgrade.goes_on()

    tally = await upgrade.through(versions_change)
    # Of two doors with 0.2.0, each brings its messages to a chat as soon as it can.
    tally.out_of_order = [number for number in tally.out_of_order if number > asked_before]
    assert faults(tally) == [], str(vars(tally))


async def test_a_new_version_takes_the_poll_over_from_the_older_one(
    own_postgres_url: str, steward: Steward, source: Path | None
) -> None:
    if source is None:
        missing("no history of the checkout", "git fetch --unshallow")
    emptied(own_postgres_url)
    upgrade = Upgrade(steward, own_postgres_url, source, polls=True)

    async def versions_change() -> None:
        await upgrade.join("old", old=True)
        await upgrade.goes_on()
        await upgrade.join("new")
        await upgrade.goes_on()
        assert await upgrade.leave("old") == 0
        await upgrade.goes_on()

    try:
        tally = await upgrade.through(versions_change)
    finally:
        await upgrade.end()
    assert faults(tally) == [], str(vars(tally))


async def test_three_processes_are_restarted_one_after_the_other_and_nobody_notices(
    own_postgres_url: str, steward: Steward
) -> None:
    upgrade = Upgrade(steward, own_postgres_url)

    async def each_restarts() -> None:
        for name in ("first", "second", "third"):
            await upgrade.join(name)
        await upgrade.goes_on()
        for name in ("first", "second", "third"):
            assert await upgrade.leave(name) == 0
            await upgrade.goes_on()
            await upgrade.join(f"{name} anew")
            await upgrade.goes_on()

    try:
        tally = await upgrade.through(each_restarts)
    finally:
        await upgrade.end()
    assert faults(tally) == [], str(vars(tally))


async def test_a_version_that_takes_something_away_waits_while_the_older_one_serves(
    upgrade: Upgrade, steward: Steward
) -> None:
    one_more_step(steward.folder / "alembic", lives_with=NEXT)
    await upgrade.join("old", old=True)
    steward.module = "tests.e2e.next_version_program"
    steward.settings |= {
        "NEXT_MIGRATIONS": str(steward.folder / "alembic"),
        "NEXT_REVISION": NEXT,
    }
    joining = asyncio.create_task(upgrade.join("new"))
    await steward.eventually(lambda: "1 older processes serve" in steward.output)
    await upgrade.asks()
    assert revision_at(upgrade.url) < REVISIONS[-1]
    assert await upgrade.leave("old") == 0
    await joining
    await upgrade.asks()
    await steward.recorded()
    assert revision_at(upgrade.url) == NEXT
