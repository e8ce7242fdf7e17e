"""`steward update` brings an installed program up to date, and back if the new version is bad."""

import asyncio
import re
import sqlite3
import sys
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, closing, suppress
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile

import httpx
import psutil
import pytest

from bot.adapters.sql.carrying import difference
from bot.adapters.sql.migrating import REVISIONS
from bot.adapters.sql.moment import moment_of
from bot.domain.talk.errors import SettingError
from bot.one_off import served_process
from bot.settings.reading import read_settings
from tests.e2e.own_systemd import PROGRAM, needs_systemd, own_systemd
from tests.e2e.test_package import (
    content,
    copied,
    environment,
    environment_with,
    made_once,
    revision,
    source,
    wheel,
)
from tests.lacking import TAKES_LONG
from tests.patience import PATIENCE
from tests.ports import free_port
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
NEVER_OPENS = {
    "bot/bootstrap/page.py": (
        "            await _polled(running)\n",
        "            await asyncio.Event().wait()\n",
    )
}


class Operator:
    """A person with an installed program, which serves one chat of Telegram."""

    def __init__(self, programs: Path, folder: Path, telegram: BotApi, url: str) -> None:
        self.programs, self.folder, self.telegram = programs, folder, telegram
        self.database = f"sqlite:///{folder / 'data' / 'steward.db'}"
        self._ann = telegram.person(42, "Ann")
        telegram.private_chat(self._ann)
        self.settings = {
            "NO_PROXY": "127.0.0.1",
            "PIP_NO_INDEX": "1",
            "STEWARD_OWNERS": "telegram:42",
            "STEWARD_WEB_PORT": "0",
            "TELEGRAM_BOT_TOKEN": TOKEN,
            "TELEGRAM_API_URL": url,
        }

    async def does(self, *arguments: str) -> tuple[int | None, str]:
        process = await self._begun(*arguments, stdout=asyncio.subprocess.PIPE)
        try:
            # It starts the program a dozen times: the limit of the whole test ends it.
            said, _ = await process.communicate()
        finally:
            if process.returncode is None:
                process.kill()
                await process.communicate()
        return process.returncode, " ".join(said.decode().split())

    async def killed_in_an_update(self, when: Callable[[], bool], *arguments: str) -> None:
        """Begins an update, and kills it and its installer at a moment, as a power cut does."""
        process = await self._begun("update", "--yes", *arguments, start_new_session=True)
        async with asyncio.timeout(PATIENCE):
            while not when():
                assert process.returncode is None, "it ended before that moment"
                await asyncio.sleep(0.005)
        # It stands still meanwhile, so the new version on trial is either there or never comes.
        update = psutil.Process(process.pid)
        update.suspend()
        all_of_it = [update, *update.children(recursive=True)]
        for one in all_of_it:
            with suppress(psutil.NoSuchProcess):
                one.kill()
        await process.wait()
        await asyncio.to_thread(psutil.wait_procs, all_of_it[1:], PATIENCE)

    async def _begun(self, *arguments: str, **pipes: Any) -> asyncio.subprocess.Process:
        return await asyncio.create_subprocess_exec(
            *(self.programs / "steward", *arguments),
            cwd=self.folder,
            env=environment(self.programs, **self.settings),
            stdin=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.STDOUT if pipes else None,
            **pipes,
        )

    @property
    def log(self) -> str:
        """Returns what the program has logged while it served."""
        return (self.folder / "log").read_text()

    @asynccontextmanager
    async def serving(self) -> AsyncIterator[None]:
        with (self.folder / "log").open("ab") as log:
            process = await self._begun("run", stdout=log)
        async with ending_well(process):
            yield

    def says(self, words: str) -> None:
        self.telegram.say(self._ann, words)

    async def says_and_is_answered(self, times: int) -> None:
        self.says("And now?")
        await self.answered(times)

    async def answered(self, times: int) -> None:
        def answers() -> bool:
            shown = [one.text for one in self.telegram.screen(self._ann.id).from_bot]
            return sum("demo" in text for text in shown) >= times

        await self.telegram.wait_for(answers, PATIENCE)


@pytest.fixture
async def ann(
    wheel: Path, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Operator]:
    def make(place: Path) -> None:
        environment_with(wheel, place, "pip")

    made = made_once(tmp_path_factory, "environment-with-pip", make)
    programs = copied(made, tmp_path / "environment")
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


async def test_an_update_takes_back_a_version_that_never_polls(
    wheel: Path, ann: Operator, tmp_path: Path
) -> None:
    bad = later(wheel, tmp_path / "bad", "9.1.0", NEVER_POLLS).parent
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
    assert names(tmp_path) == ["ann", "bad", "environment"]
    assert backups(ann.folder)
    async with ann.serving():
        await ann.answered(2)


async def test_an_update_keeps_a_version_that_polls(
    wheel: Path, ann: Operator, tmp_path: Path
) -> None:
    good = later(wheel, tmp_path / "good", "9.0.0", {}).parent
    async with ann.serving():
        ann.says("Hello")
        await ann.answered(1)

    ann.says("And now?")
    code, said = await ann.does("update", f"--from={good}", "--yes")
    assert (code, "9.0.0 has reached its chat apps." in said) == (0, True), said
    assert installed_version(ann.programs) == "9.0.0"
    assert revision(ann.folder) == "9901"
    async with ann.serving():
        await ann.answered(2)
    code, said = await ann.does("update", "--look")
    assert (code, "Steward 9.0.0 is the newest version there is." in said) == (0, True), said


_COPY, _NOTE = ".environment-before-update", "steward-update.json"
UNTOUCHED = "An update was cut off before it changed anything; 0.2.0 is installed as before."
UNTRIED = "The update to 9.0.0 was cut off before it was tried."


async def test_an_update_that_is_killed_leaves_a_version_that_works_and_the_next_one_finishes_it(
    wheel: Path, ann: Operator, tmp_path: Path
) -> None:
    good = later(wheel, tmp_path / "good", "9.0.0", {}).parent
    async with ann.serving():
        ann.says("Hello")
        await ann.answered(1)
    await ann.killed_in_an_update((tmp_path / f"{_COPY}.part").exists, f"--from={good}")
    async with ann.serving():
        await ann.says_and_is_answered(2)
    assert f"{UNTOUCHED} Run `steward update` to begin again." in ann.log

    await ann.killed_in_an_update((tmp_path / "environment" / _NOTE).exists, f"--from={good}")
    assert installed_version(ann.programs) == "9.0.0"
    _, report = await ann.does("doctor")
    assert f"warn update {UNTRIED} → Run `steward update`" in report
    async with ann.serving():
        await ann.says_and_is_answered(3)
    assert UNTRIED in ann.log
    code, said = await ann.does("update", f"--from={good}", "--yes")
    assert UNTRIED in said
    assert (code, "9.0.0 has reached its chat apps." in said) == (0, True), said
    assert ann.log.count("was cut off") == 2, "the trial of an update that goes on says nothing"
    assert (installed_version(ann.programs), revision(ann.folder)) == ("9.0.0", "9901")
    assert names(tmp_path) == ["ann", "environment", "good"]
    assert not (tmp_path / "environment" / _NOTE).exists()


@TAKES_LONG
@pytest.mark.timeout(600)
async def test_an_update_that_is_killed_at_any_other_moment_leaves_a_version_that_works(
    wheel: Path, ann: Operator, tmp_path: Path
) -> None:
    good = later(wheel, tmp_path / "good", "9.0.0", {}).parent
    async with ann.serving():
        ann.says("Hello")
        await ann.answered(1)
    moments = {
        "in the backup": lambda: any((ann.folder / "data" / "backups").glob("*")),
        "in the installer": (tmp_path / _COPY).exists,
    }
    for moment, when in moments.items():
        await ann.killed_in_an_update(when, f"--from={good}")
        code, said = await ann.does("--version")
        assert installed_version(ann.programs) in ("0.2.0", "9.0.0"), moment
        assert (code, "0.2.0" in said) == (0, True), (moment, said)
    async with ann.serving():
        await ann.says_and_is_answered(2)
    code, said = await ann.does("update", f"--from={good}", "--yes")
    assert (code, "9.0.0 has reached its chat apps." in said) == (0, True), said


@pytest.fixture
async def page_alone(ann: Operator) -> int:
    """The port of Ann's page, which has answered once; she has no chat app."""
    del ann.settings["TELEGRAM_BOT_TOKEN"]
    port = free_port()
    ann.settings["STEWARD_WEB_PORT"] = str(port)
    async with ann.serving():
        await answers_on(port)
    return port


@pytest.mark.usefixtures("page_alone")
async def test_an_update_of_a_page_alone_takes_back_a_version_that_never_answers(
    wheel: Path, ann: Operator, tmp_path: Path
) -> None:
    bad = later(wheel, tmp_path / "bad", "9.1.0", NEVER_OPENS).parent
    code, said = await ann.does("update", f"--from={bad}", "--yes", "--wait=4")
    assert (code, "The update to 9.1.0 failed: There was no sign of it for 4 s." in said) == (
        1,
        True,
    ), said
    assert installed_version(ann.programs) == "0.2.0"


async def test_an_update_of_a_page_alone_waits_until_it_answers(
    wheel: Path, ann: Operator, page_alone: int, tmp_path: Path
) -> None:
    good = later(wheel, tmp_path / "good", "9.0.0", {}).parent
    code, said = await ann.does("update", f"--from={good}", "--yes")
    assert (code, "9.0.0 has opened its page." in said) == (0, True), said
    async with ann.serving():
        await answers_on(page_alone)


async def answers_on(port: int) -> None:
    """Waits until the page answers anybody."""
    async with asyncio.timeout(PATIENCE), httpx.AsyncClient() as client:
        while True:
            with suppress(httpx.TransportError):
                await client.get(f"http://127.0.0.1:{port}/")
                return
            await asyncio.sleep(0.1)


@TAKES_LONG
@pytest.mark.timeout(600)
async def test_a_bad_version_whose_update_is_killed_is_taken_back_by_the_next_one(
    wheel: Path, ann: Operator, tmp_path: Path
) -> None:
    bad = later(wheel, tmp_path / "bad", "9.1.0", NEVER_POLLS).parent
    async with ann.serving():
        ann.says("Hello")
        await ann.answered(1)
    copy = kept(ann.folder / "data" / "steward.db")
    await ann.killed_in_an_update(lambda: revision(ann.folder) == "9901", f"--from={bad}")
    assert installed_version(ann.programs) == "9.1.0"
    code, said = await ann.does("update", f"--from={bad}", "--yes", "--wait=4")
    assert (code, "The update to 9.1.0 failed: " in said) == (1, True), said
    assert "is back, with its database." in said
    assert installed_version(ann.programs) == "0.2.0"
    assert (revision(ann.folder), lost(copy, ann.database)) == (REVISIONS[-1], "")
    assert names(tmp_path) == ["ann", "bad", "environment"]
    async with ann.serving():
        await ann.says_and_is_answered(2)


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


OWN_SETTINGS = """\
[Service]
Type=notify
WorkingDirectory=/srv/steward
Environment=STEWARD_HOME=/srv/steward/home
EnvironmentFile=/srv/steward/own
LoadCredential=TELEGRAM_BOT_TOKEN:/srv/steward/token
ExecStart={} run
TimeoutStartSec=infinity
"""


@pytest.mark.timeout(600)
async def test_a_service_whose_settings_stand_in_its_unit_is_updated_with_them_or_not_touched(
    wheel: Path, ann: Operator, tmp_path: Path
) -> None:
    needs_systemd()
    good = later(wheel, tmp_path / "good", "9.0.0", {}).parent
    better = later(wheel, tmp_path / "better", "9.0.1", {}).parent
    program = str(ann.programs / "steward")
    own = ann.settings | {"STEWARD_DATABASE_URL": "sqlite:////srv/steward/elsewhere.db"}
    token = own.pop("TELEGRAM_BOT_TOKEN")
    (ann.folder / "own").write_text("".join(f"{name}={text}\n" for name, text in own.items()))
    (ann.folder / "token").write_text(token)
    (ann.folder / "steward.service").write_text(OWN_SETTINGS.format(program))
    with own_systemd(tmp_path / "systemd", ann.folder) as systemd:
        await systemd.did("cp", "steward.service", "/etc/systemd/system/")
        await systemd.did("systemctl", "daemon-reload")
        await systemd.did("systemctl", "start", "steward")
        await ann.says_and_is_answered(1)
        # It takes more starts of the program than one command may on a busy machine.
        order = f"PIP_NO_INDEX=1 {program} update --yes"
        ended = f"{order} --from={good} >said 2>&1 </dev/null; echo $? >code"
        await systemd.did("sh", "-c", f"({ended}) >log 2>&1 &")
        async with asyncio.timeout(3 * PATIENCE):
            while not (ann.folder / "code").exists():
                await asyncio.sleep(0.1)
        said = (ann.folder / "said").read_text()
        assert "Made a backup" in said
        assert "9.0.0 has reached its chat apps. steward.service was started." in said, said
        await ann.says_and_is_answered(2)
        with closing(sqlite3.connect(ann.folder / "elsewhere.db")) as rows:
            assert rows.execute("SELECT version_num FROM alembic_version").fetchone() == ("9901",)
        await systemd.did("systemctl", "stop", "steward")
        code, said = await systemd.run("sh", "-c", f"{order} --from={better}")
        assert (code, installed_version(ann.programs)) == (2, "9.0.0"), said
        assert "steward.service names its database itself" in said
        assert not (ann.folder / "home" / "steward.db").exists()


def test_units_are_looked_for_where_systemd_looks_and_in_its_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked = [str(folder) for folder in served_process._UNITS]
    assert (looked[0], len(looked)) == ("/etc/systemd/system", 5)
    own, packaged = tmp_path / "etc", tmp_path / "lib"
    (own / "steward.service.d").mkdir(parents=True)
    packaged.mkdir()
    monkeypatch.setattr(served_process, "_UNITS", (own, tmp_path / "none", packaged))
    monkeypatch.setattr(served_process, "_PROCESSES", tmp_path / "proc")
    settings = read_settings({}, tmp_path, home=tmp_path / "home")
    unit = f"[Service]\nExecStart={sys.prefix}/bin/steward run\n"
    there = f"{unit}Environment=STEWARD_DATABASE_URL=sqlite:////srv/own.db\n"
    (packaged / "steward.service").write_text(there)
    with pytest.raises(SettingError, match=r"steward\.service names its database itself"):
        served_process.standing_of(settings, tmp_path)
    (packaged / "steward.service").write_text(unit)
    (own / "steward.service.d" / "own.conf").write_text(there)
    with pytest.raises(SettingError, match=r"steward\.service names its database itself"):
        served_process.standing_of(settings, tmp_path)
    (own / "steward.service.d" / "own.conf").unlink()
    (packaged / "steward.service").write_text(there)
    # It takes the place of the other one.
    (own / "steward.service").write_text(unit)
    assert served_process.standing_of(settings, tmp_path).unit == ""


def test_the_service_of_a_process_is_known_by_its_control_group(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    group = tmp_path / "7" / "cgroup"
    monkeypatch.setattr(served_process, "_PROCESSES", tmp_path)
    group.parent.mkdir()
    # Each service has the process 7 as its main one, but cron, which has another.
    control = tmp_path / "systemctl"
    control.write_text('#!/bin/sh\ncase "$4" in cron*) echo 5 ;; *) echo 7 ;; esac\n')
    control.chmod(0o755)
    monkeypatch.setattr(served_process, "_SYSTEMCTL", str(control))
    group.write_text("0::/system.slice/steward.service\n")
    assert served_process.unit_of(7) == "steward.service"
    assert served_process.unit_of(8) == ""
    for another in (
        "/system.slice/cron.service",
        "/user.slice/user-1000.slice/user@1000.service/app.slice/run.scope",
        "/user.slice/user-1000.slice/user@1000.service/app.slice/steward.service",
    ):
        group.write_text(f"0::{another}\n")
        assert served_process.unit_of(7) == "", another
    group.write_text("0::/system.slice/steward.service\n")
    monkeypatch.setattr(served_process, "_SYSTEMCTL", str(tmp_path / "none"))
    assert served_process.unit_of(7) == ""
