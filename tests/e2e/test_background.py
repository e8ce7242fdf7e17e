"""Work beside the turns: of three processes one does it, and when it dies another one goes on."""

import re
import zlib
from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path

import pytest

from bot.adapters.sql.bell import POSTS
from bot.bootstrap.backup_times import BackupTimes, set_times
from bot.bootstrap.kept_backups import made
from tests.e2e.steward import Steward
from tests.e2e.test_goals import update
from tests.e2e.test_hooks import Caller, caller, tries
from tests.e2e.test_roles import Company
from tests.e2e.test_schedules import runs_are
from tests.e2e.times import Times
from tests.standins.messages_api import failure, text

__all__ = ["caller"]
pytestmark = [
    pytest.mark.postgres,
    pytest.mark.timeout(300),
    pytest.mark.telegrams_own("who does what is due is the same question on each platform"),
]
NAMES = ("one", "two", "three")
DAY = 86_400
_HOLDERS = """
    SELECT client_port FROM pg_stat_activity JOIN pg_locks USING (pid)
    WHERE locktype = 'advisory' AND granted
    AND ((CAST(classid AS bigint) << 32) | CAST(objid AS bigint)) = {key}
"""
_SOCKET = re.compile(r"socket:\[(\d+)\]")


def ports_of(pid: int) -> set[int]:
    """The ports of this machine at which a process has connections."""
    ours = set[str]()
    for file in Path(f"/proc/{pid}/fd").iterdir():
        with suppress(OSError):
            if found := _SOCKET.fullmatch(str(file.readlink())):
                ours.add(found[1])
    rows = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    return {int(row[1].rpartition(":")[2], 16) for row in rows if row[9] in ours}


class Background:
    """One process for people, and three that do what is due."""

    def __init__(self, company: Company, steward: Steward) -> None:
        self._company = company
        self._steward = steward

    def rows(self, question: str) -> object:
        """The only value that a question has."""
        ((value,),) = self._steward.records.rows(question)
        return value

    async def becomes(self, question: str, value: object) -> None:
        await self._steward.eventually(lambda: self.rows(question) == value)

    def holder(self, post: str) -> str | None:
        """The process that has a post; none for a moment after a death."""
        key = POSTS + zlib.crc32(post.encode())
        held = {port for (port,) in self._steward.records.rows(_HOLDERS.format(key=key))}
        living = self._company.processes
        return next((name for name in living if held & ports_of(living[name].pid)), None)

    async def kill(self, post: str) -> None:
        """Have the process that has a post die, and wait until another one has it."""
        await self._steward.eventually(lambda: self.holder(post))
        dead = self.holder(post)
        assert dead is not None
        await self._company.leave(dead)
        if self._company.processes:
            await self._steward.eventually(lambda: self.holder(post) not in (None, dead))


@pytest.fixture
async def background(
    own_postgres_url: str, times: Times, steward: Steward
) -> AsyncIterator[Background]:
    """All of them at work, on a clock that the test sets; each home wants backups."""
    del times
    steward.module = "tests.e2e.nightly_program"
    company = Company(steward, own_postgres_url)
    try:
        await steward.start(STEWARD_ROLE="receive,work,deliver,web")
        for name in NAMES:
            home = steward.folder / name
            set_times(home, BackupTimes("day", 5))
            if (hooks := steward.home / "hooks").exists():
                (home / "hooks").symlink_to(hooks)
            await company.join(name, "schedule")
        await company.knows_of(4)
        yield Background(company, steward)
    finally:
        for name in [*company.processes]:
            await company.leave(name)


async def test_tasks_indexes_and_nights_are_done_once_by_whoever_lives(
    background: Background, times: Times, steward: Steward
) -> None:
    steward.model.script.rule(lambda _: text("Done."))
    for life in range(len(NAMES)):
        if life:
            await background.kill("what is due")
        steward.say(f"/schedule in 1d | Look {life}")
        await background.becomes("SELECT count(*) FROM task", life + 1)
        night = background.rows("SELECT count(*) FROM measure")
        times.move(DAY)
        await background.becomes("SELECT count(*) FROM run WHERE state = 'done'", life + 1)
        await background.becomes("SELECT count(*) FROM passage WHERE indexed", life + 1)
        await background.becomes(f"SELECT count(*) > {night} FROM measure", True)
        await steward.recorded()
        assert background.rows("SELECT count(*) FROM run") == life + 1
        assert background.rows("SELECT count(*) FROM turn") == life + 1
        assert len(steward.model.requests) == life + 1
        assert len(steward.showing("Done.")) == life + 1


async def test_the_next_try_of_a_hook_and_the_next_run_of_a_goal_outlive_who_would_begin_them(
    own_postgres_url: str, caller: Caller, background: Background, times: Times, steward: Steward
) -> None:
    # The database comes first, so that its rows can still be read when all has ended.
    del own_postgres_url
    steward.script(failure(401, "authentication_error"), text("It works now."))
    taken = await caller.post()
    await steward.eventually(lambda: tries(steward) == [("again", 1)])
    await background.kill("what is due")
    times.move(61)
    await caller.becomes(taken, "done")
    assert tries(steward) == [("done", 2)]
    await steward.sees("It works now.")

    steward.script(update(milestone="The club took me."), text("Done for today."))
    steward.say("/goal Learn to sail")
    card = await steward.sees("Pace: every day.")
    await steward.recorded()
    steward.press(card, "▶️ Start")
    await steward.sees("🎯 The club took me.")
    await runs_are(steward, "done")
    await background.kill("what is due")
    steward.script(update(milestone="I have a boat."), text("Done again."))
    times.move(DAY)
    await steward.sees("🎯 I have a boat.")
    await runs_are(steward, "done", "done")
    await steward.recorded()
    for words in ("It works now.", "🎯 The club took me.", "🎯 I have a boat."):
        assert len(steward.showing(words)) == 1


async def test_a_backup_is_made_by_one_process_and_then_by_the_next(
    background: Background, steward: Steward
) -> None:
    def homes() -> list[str]:
        return [name for name in NAMES if made(steward.folder / name)]

    for life in range(len(NAMES)):
        if life:
            await background.kill("backups")
        await steward.eventually(lambda life=life: len(homes()) == life + 1)
        # Whoever has not the post makes none, however long it waits.
        last = background.holder("backups")
        assert last in homes()


async def test_the_doctor_of_one_home_knows_the_backups_of_the_other_ones(
    background: Background, steward: Steward
) -> None:
    noted = "SELECT count(*) FROM audit WHERE action = 'backup.made'"
    await background.becomes(noted, 1)
    made_by = background.holder("backups")
    for name in NAMES:
        _, told = await steward.printed_by("doctor", STEWARD_HOME=str(steward.folder / name))
        (line,) = (one for one in told.splitlines() if one[6:].startswith("backup "))
        assert line.startswith("ok"), line
        assert (f", in {steward.folder / str(made_by)} on " in line) == (name != made_by)
