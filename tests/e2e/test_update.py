"""`steward update` brings an installed program up to date, and back if the new version is bad."""

import asyncio
import re
import sqlite3
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile

import pytest

from bot.adapters.sql.carrying import difference
from bot.adapters.sql.migrating import REVISIONS
from bot.adapters.sql.moment import moment_of
from bot.one_off import first_poll
from tests.e2e.own_systemd import PROGRAM, needs_systemd, own_systemd
from tests.e2e.test_package import content, environment, environment_with, revision, source, wheel
from tests.patience import PATIENCE
from tests.processes import ending_well
from tests.standins.bot_api import TOKEN, BotApi
from tests.standins.serving import serving

__all__ = ["source", "wheel"]
pytestmark = pytest.mark.timeout(300)

NEW_STEP = '''\
"""Birds have a table of their own."""

import sqlalchemy as sa
from alembic import op

revision, down_revision, branch_labels, depends_on = "9901", "{before}", None, None


def upgrade() -> None:
    op.create_table("bird", sa.Column("name", sa.Text(), primary_key=True))


def downgrade() -> None:
    op.drop_table("bird")
'''
NEWS = "## 9.0.0\n\n- **Birds are known** by [name](docs/birds.md). They fly.\n\n## Unreleased"


def later(wheel: Path, folder: Path, version: str, but: Mapping[str, tuple[str, str]]) -> Path:
    """Writes a wheel like another one: a later version with one more step and other words."""
    folder.mkdir()
    files = dict(content(wheel))
    words = dict(but) | {
        "bot/shipped/CHANGELOG.md": ("## Unreleased", NEWS),
        "bot/adapters/sql/migrating.py": (f'"{REVISIONS[-1]}")', f'"{REVISIONS[-1]}", "9901")'),
        "steward-0.2.0.dist-info/METADATA": ("Version: 0.2.0", f"Version: {version}"),
    }
    for name, (old, new) in words.items():
        text = files[name].decode()
        assert old in text, name
        files[name] = text.replace(old, new, 1).encode()
    step = NEW_STEP.format(before=REVISIONS[-1]).encode()
    files["bot/shipped/alembic/versions/9901_birds.py"] = step
    files = {name.replace("steward-0.2.0.", f"steward-{version}."): b for name, b in files.items()}
    record = f"steward-{version}.dist-info/RECORD"
    files[record] = "".join(f"{name},,\n" for name in files).encode()
    made = folder / f"steward-{version}-py3-none-any.whl"
    with ZipFile(made, "w", ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return made


NEVER_POLLS = {
    "bot/adapters/telegram/listener.py": (
        "        offset = await self._begin()\n",
        "        import asyncio\n\n        await asyncio.Event().wait()\n        offset = None\n",
    )
}


class Operator:
    """A person with an installed program, which serves one chat of Telegram."""

    def __init__(self, programs: Path, folder: Path, telegram: BotApi, url: str) -> None:
        self.programs, self.folder, self.telegram = programs, folder, telegram
        self.database = f"sqlite:///{folder / 'data' / 'steward.db'}"
        self._ann = telegram.person(42, "Ann")
        telegram.private_chat(self._ann)
        self._settings = {
            "NO_PROXY": "127.0.0.1",
            "PIP_NO_INDEX": "1",
            "STEWARD_OWNERS": "telegram:42",
            "STEWARD_WEB_PORT": "0",
            "TELEGRAM_BOT_TOKEN": TOKEN,
            "TELEGRAM_API_URL": url,
        }

    async def does(self, *arguments: str) -> tuple[int | None, str]:
        process = await self._begun(*arguments, stdout=asyncio.subprocess.PIPE)
        async with asyncio.timeout(PATIENCE):
            said, _ = await process.communicate()
        return process.returncode, " ".join(said.decode().split())

    async def _begun(self, *arguments: str, **pipes: Any) -> asyncio.subprocess.Process:
        return await asyncio.create_subprocess_exec(
            *(self.programs / "steward", *arguments),
            cwd=self.folder,
            env=environment(self.programs, **self._settings),
            stdin=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.STDOUT if pipes else None,
            **pipes,
        )

    @asynccontextmanager
    async def serving(self) -> AsyncIterator[None]:
        process = await self._begun("run")
        async with ending_well(process):
            yield

    def says(self, words: str) -> None:
        self.telegram.say(self._ann, words)

    async def answered(self, times: int) -> None:
        def answers() -> bool:
            shown = [one.text for one in self.telegram.screen(self._ann.id).from_bot]
            return sum("demo" in text for text in shown) >= times

        await self.telegram.wait_for(answers, PATIENCE)


@pytest.fixture
async def ann(wheel: Path, tmp_path: Path) -> AsyncIterator[Operator]:
    programs = environment_with(wheel, tmp_path / "environment", "pip")
    folder = tmp_path / "ann"
    folder.mkdir()
    telegram = BotApi()
    async with serving(telegram.app) as url:
        yield Operator(programs, folder, telegram, url)


def installed_version(programs: Path) -> str:
    (info,) = programs.parent.rglob("steward-*.dist-info")
    return info.name.removeprefix("steward-").removesuffix(".dist-info")


def kept(database: Path) -> Path:
    """Copies the rows of now, and returns the copy."""
    copy = database.with_name("kept.db")
    with closing(sqlite3.connect(database)) as one:
        one.execute("VACUUM INTO ?", (str(copy),))
    return copy


def names(folder: Path) -> list[str]:
    return sorted(one.name for one in folder.iterdir())


def backups(folder: Path) -> list[Path]:
    return list((folder / "data" / "backups").glob("steward-*.tar.gz"))


def lost(copy: Path, database: str) -> str:
    with moment_of(database) as now, moment_of(f"sqlite:///{copy}") as then:
        return difference(then, now)


async def test_an_update_takes_back_a_version_that_never_polls_and_keeps_a_good_one(
    wheel: Path, ann: Operator, tmp_path: Path
) -> None:
    bad = later(wheel, tmp_path / "bad", "9.1.0", NEVER_POLLS).parent
    good = later(wheel, tmp_path / "good", "9.0.0", {}).parent
    async with ann.serving():
        ann.says("Hello")
        await ann.answered(1)
        code, said = await ann.does("update", f"--from={bad}", "--yes")
    assert code == 2, said
    assert re.search(r"Steward runs: it is process \d+\. Stop it, then update\.", said)

    copy = kept(ann.folder / "data" / "steward.db")
    ann.says("Are you there?")
    code, said = await ann.does("update", f"--from={bad}", "--yes", "--wait=4")
    assert code == 1, said
    assert "- Birds are known by name. " in said
    assert "upgraded, in 1 step: Birds have a table of their own." in said
    assert "The update to 9.1.0 failed: There was no sign of it for 4 s." in said
    assert "Steward 0.2.0 is back, with its database." in said
    assert installed_version(ann.programs) == "0.2.0"
    assert (revision(ann.folder), lost(copy, ann.database)) == (REVISIONS[-1], "")
    assert names(tmp_path) == ["ann", "bad", "environment", "good"]
    assert backups(ann.folder)
    async with ann.serving():
        await ann.answered(2)

    ann.says("And now?")
    code, said = await ann.does("update", f"--from={good}", "--yes")
    assert (code, "9.0.0 has reached its chat apps." in said) == (0, True), said
    assert installed_version(ann.programs) == "9.0.0"
    assert revision(ann.folder) == "9901"
    async with ann.serving():
        await ann.answered(3)
    code, said = await ann.does("update", "--look")
    assert (code, "Steward 9.0.0 is the newest version there is." in said) == (0, True), said


SERVICE = """\
[Service]
Type=notify
NotifyAccess=all
ExecStart=/bin/sh -c '%s'
Restart=on-failure
RestartSec=5
TimeoutStartSec=infinity
"""
WAYS = {
    "good": 'systemd-notify --ready; systemd-notify --status="Serves telegram."; sleep 900',
    "dies": "exit 3",
    "silent": "sleep 900",
}
WATCH = """\
import sys
from bot.one_off.first_poll import Unit
unit = Unit("steward.service")
unit.stop()
print(repr(unit.reached(float(sys.argv[1]))))
unit.stop()
"""


async def test_a_service_of_systemd_is_started_and_watched_until_its_first_poll(
    tmp_path: Path,
) -> None:
    needs_systemd()
    served = tmp_path / "served"
    served.mkdir()
    (served / "watch.py").write_text(WATCH)
    python = str(Path(PROGRAM).with_name("python"))
    told = dict[str, str]()
    with own_systemd(tmp_path / "systemd", served) as systemd:
        for name, way in WAYS.items():
            (served / "steward.service").write_text(SERVICE % way)
            await systemd.did("cp", "steward.service", "/etc/systemd/system/")
            await systemd.did("systemctl", "daemon-reload")
            told[name] = (await systemd.did(python, "watch.py", "3")).strip()
    assert told["good"] == "''"
    assert "It ended, with code 3" in told["dies"]
    assert "There was no sign of it for 3 s." in told["silent"]


def test_the_service_of_a_process_is_known_by_its_control_group(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    group = tmp_path / "7"
    monkeypatch.setattr(first_poll, "_GROUPS", str(tmp_path / "{}"))
    group.write_text("0::/system.slice/steward.service\n")
    assert first_poll.unit_of(7) == "steward.service"
    group.write_text("0::/user.slice/user-1000.slice/user@1000.service/app.slice/run.scope\n")
    assert first_poll.unit_of(7) == ""
    assert first_poll.unit_of(8) == ""
