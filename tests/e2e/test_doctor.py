"""`steward doctor` as a real process: right in each case, dying of none, with what to do next."""

import re
import sqlite3
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, closing
from dataclasses import dataclass
from pathlib import Path

import pytest

from bot.adapters.sql.store import Store, open_store
from bot.adapters.tools.sandbox import Sandbox
from bot.domain.talk.person import Role, Sender
from tests.contracts.test_store_memory import CAR, DOG, remember
from tests.e2e.launching import ROOT, Launch, Start, surroundings
from tests.e2e.steward import KEY
from tests.e2e.terminals import Terminal
from tests.ports import free_port
from tests.standins.bot_api import TOKEN, BotApi
from tests.standins.messages_api import MessagesApi
from tests.standins.serving import serving
from tests.standins.speech import Speech
from tests.standins.transcriptions import Transcriptions
from tests.words import BAD_TOKEN, KEY_REFUSED, NO_TELEGRAM

OBEYING = "tests.e2e.obeying"
CRAMPED = "tests.e2e.cramped_program"
ANN, LOCAL = Sender("telegram", "42", "Ann"), Sender("terminal", "0", "ana")
_SUBJECT = re.compile(r"^(?:ok|warn|fail) +(\S+) ", re.MULTILINE)


def damage(file: Path, name: str) -> None:
    """Overwrites the first page of a table or an index."""
    with closing(sqlite3.connect(file)) as connection:
        asked = "SELECT rootpage FROM sqlite_master WHERE name = ?"
        (page,) = connection.execute(asked, (name,)).fetchone()
        (size,) = connection.execute("PRAGMA page_size").fetchone()
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    with file.open("r+b") as raw:
        raw.seek((page - 1) * size)
        raw.write(b"\xff" * size)


@dataclass(frozen=True)
class Report:
    """What the doctor printed."""

    code: int
    text: str

    def about(self, subject: str) -> str:
        """Returns the lines about a subject, with what helps, on one line."""
        parts = re.split(r"^(?=ok|warn|fail)", self.text.rpartition("\n\n")[0], flags=re.MULTILINE)
        found = [part for part in parts if part.split()[1:2] == [subject]]
        return " ".join(" ".join(found).split())

    @property
    def next(self) -> str:
        return self.text.strip().splitlines()[-1]


class Practice:
    """A folder in which the doctor is called, with both services within reach."""

    def __init__(self, folder: Path, launch: Launch) -> None:
        self.folder = folder
        self.home = folder / "data"
        self.settings = surroundings(folder)
        self._launch = launch

    async def run(self, *arguments: str, module: str = "bot", **settings: str) -> Report:
        printed = self.folder / "printed.txt"
        start = Start(arguments, self.settings | settings, self.folder, module)
        with printed.open("wb") as output:
            process = await self._launch(start, output)
            code = await process.wait()
        text = printed.read_text()
        assert "Traceback" not in text
        return Report(code, text)

    async def report(self, *, module: str = "bot", **settings: str) -> Report:
        return await self.run("doctor", module=module, **settings)

    async def been_used_by(self, *owners: Sender) -> Path:
        """Leaves the database of an earlier run; returns its file."""
        self.home.mkdir(mode=0o700)
        file = self.home / "steward.db"
        async with self.store() as store:
            for owner in owners:
                await store.people.admit(owner, Role.OWNER)
        return file

    async def been_left_with_a_damaged_index(self) -> None:
        """Leaves the database of an earlier run whose index of words is damaged."""
        file = await self.been_used_by(ANN)
        async with self.store() as store:
            await remember(store, DOG, CAR)
        damage(file, "passage_words_data")

    def store(self) -> AbstractAsyncContextManager[Store]:
        return open_store(f"sqlite:///{self.home / 'steward.db'}")


@pytest.fixture
async def practice(tmp_path: Path, launch: Launch) -> AsyncIterator[Practice]:
    practice = Practice(tmp_path, launch)
    telegram, model = BotApi(), MessagesApi(api_key=KEY)
    async with serving(telegram.app) as telegram_url, serving(model.app) as model_url:
        practice.settings |= {
            "TELEGRAM_BOT_TOKEN": TOKEN,
            "TELEGRAM_API_URL": telegram_url,
            "ANTHROPIC_API_KEY": KEY,
            "ANTHROPIC_BASE_URL": model_url,
        }
        yield practice


async def test_a_healthy_place_says_what_to_do_next(practice: Practice) -> None:
    await practice.been_used_by(ANN)
    report = await practice.report(STEWARD_FALLBACK_MODELS="anthropic/claude-haiku-5-5")
    lines = re.findall(r"^(ok|warn|fail) +(\w+) ", report.text.rpartition("\n\n")[0], re.MULTILINE)
    # A machine without a working sandbox has one thing that could be better, and is told so.
    could_be_better = set() if await Sandbox().works() else {("warn", "sandbox")}
    assert {line for line in lines if line[0] != "ok"} == could_be_better
    assert report.code == 0
    assert "Ann owns it" in report.about("owner")
    assert "claude-haiku-5-5 is there" in report.about("fallback")
    assert report.next.startswith("Nothing stands in the way.")
    # The person stands in another folder, where `make run` would do nothing.
    assert f"{ROOT}/.venv/bin/steward run" in report.next


async def test_in_a_narrow_terminal_its_lines_break_between_words(practice: Practice) -> None:
    with closing(
        Terminal(practice.home.parent, "doctor", columns=40, environ=practice.settings)
    ) as talk:
        await talk.ended()
    lines = talk.raw.splitlines()
    assert len(lines) > 20
    for line in lines:
        # A path or an option that has no room stays whole.
        assert len(line) <= 40 or len(line.split()[-1]) > 20, line


async def test_a_wrong_model_is_told_with_near_names_also_of_a_tier(practice: Practice) -> None:
    wrong = "anthropic/claude-haiku-5-6"
    report = await practice.report(STEWARD_MODEL=wrong, STEWARD_FAST_MODEL=f"{wrong}1")
    meant = "Did you mean claude-haiku-5-5"
    assert f"has no model “claude-haiku-5-6” for this key. → Correct STEWARD_MODEL. {meant}" in (
        report.about("model")
    )
    assert f"Correct STEWARD_FAST_MODEL. {meant}" in report.about("tier")


async def test_with_nothing_set_it_leads_to_the_setup(practice: Practice) -> None:
    report = await practice.report(TELEGRAM_BOT_TOKEN="", ANTHROPIC_API_KEY="")
    assert report.code == 0
    assert "steward setup" in report.next


@pytest.mark.parametrize("setting", ["STEWARD_MODEL", "STEWARD_FALLBACK_MODELS"])
async def test_an_unknown_provider_fails_as_the_start_does(
    practice: Practice, setting: str
) -> None:
    given = {setting: "nobody/gpt-5"}
    report = await practice.report(**given)
    line = report.about("model" if setting == "STEWARD_MODEL" else "fallback")
    assert report.code == 1
    assert line.startswith("fail")
    assert "no provider “nobody”" in line
    assert "steward doctor` again" in report.next
    start = await practice.run("run", **given)
    assert start.code == 2
    assert "no provider “nobody”" in start.text


async def test_a_model_that_is_not_there_is_told_apart_from_a_wrong_key(practice: Practice) -> None:
    missing = await practice.report(STEWARD_MODEL="anthropic/claude-nothing")
    assert "no model “claude-nothing”" in missing.about("model")
    assert "Correct STEWARD_MODEL" in missing.about("model")
    refused = await practice.report(ANTHROPIC_API_KEY="sk-ant-some-other-key")
    assert KEY_REFUSED.removeprefix("✗ ") in refused.about("model")
    assert "Make a new key" in refused.about("model")
    assert (missing.code, refused.code) == (1, 1)


async def test_a_wrong_token_is_told_apart_from_no_network(practice: Practice) -> None:
    wrong = await practice.report(TELEGRAM_BOT_TOKEN="1:another")
    assert BAD_TOKEN in wrong.about("telegram")
    assert "@BotFather" in wrong.about("telegram")
    nobody = f"http://127.0.0.1:{free_port()}"
    without = await practice.report(TELEGRAM_API_URL=nobody, ANTHROPIC_BASE_URL=nobody)
    assert NO_TELEGRAM in without.about("telegram")
    assert "network" in without.about("telegram")
    assert "TOKEN" not in without.about("telegram")
    assert "cannot be reached" in without.about("model")
    assert "API key" not in without.about("model")
    assert not re.search(r"httpx|Errno|ConnectError", without.text)


@pytest.mark.parametrize(
    ("owners", "level", "told"),
    [
        ((), "warn", "Nobody owns it yet: the next start prints a pairing link."),
        ((LOCAL,), "warn", "ana owns it, but in the terminal only"),
        ((LOCAL, ANN), "ok", "ana and Ann own it."),
    ],
)
async def test_it_looks_at_owners(
    practice: Practice, owners: tuple[Sender, ...], level: str, told: str
) -> None:
    await practice.been_used_by(*owners)
    report = await practice.report()
    assert report.about("owner").startswith(level)
    assert told in report.about("owner")
    assert ("link" in report.next) is (level == "warn")


async def test_an_owner_of_the_settings_counts_before_the_first_start(practice: Practice) -> None:
    assert "Nobody owns it yet" in (await practice.report()).about("owner")
    report = await practice.report(STEWARD_OWNERS="telegram:42")
    assert report.about("owner") == "ok owner telegram:42 owns it."


async def test_a_fallback_without_a_key_is_told(practice: Practice) -> None:
    report = await practice.report(
        ANTHROPIC_API_KEY="", STEWARD_FALLBACK_MODELS="demo/demo,anthropic/claude-haiku-5-5"
    )
    assert "warn fallback anthropic/claude-haiku-5-5 cannot be used" in report.about("fallback")


async def test_the_services_of_speech_are_asked_without_a_cost(practice: Practice) -> None:
    voice, ears = Speech(api_key="k" * 20), Transcriptions(api_key="k" * 20)
    assert (await practice.report()).about("speaking") == ""
    async with serving(voice.app) as voice_url, serving(ears.app) as ears_url:
        spoken = {"STEWARD_SPEAK_URL": f"{voice_url}/v1", "STEWARD_SPEAK_KEY": "k" * 20}
        both = spoken | {"STEWARD_HEAR_URL": f"{ears_url}/v1", "STEWARD_HEAR_KEY": "k" * 20}
        report = await practice.report(**both)
        assert report.about("speaking").startswith("ok speaking Answers are spoken by tts-1")
        assert report.about("hearing").startswith(
            "ok hearing Voice messages are heard by whisper-1"
        )
        assert "lists no models" in report.about("hearing")
        told = (await practice.report(**spoken)).about("speaking")
        assert told.startswith("warn")
        assert "STEWARD_HEAR_URL" in told
        told = (await practice.report(**both, STEWARD_SPEAK_MODEL="tts-9")).about("speaking")
        assert "has no model “tts-9”. → Correct STEWARD_SPEAK_MODEL." in told
        told = (await practice.report(**both, STEWARD_BUDGET_DAY="5")).about("speaking")
        assert "so nothing is spoken. → Set STEWARD_SPEAK_PRICE" in told
        refused = await practice.report(**(both | {"STEWARD_SPEAK_KEY": "x" * 20}))
        assert "does not accept the key. → Correct STEWARD_SPEAK_KEY." in refused.about("speaking")
        assert "x" * 20 not in refused.text
    away = await practice.report(
        **(both | {"STEWARD_SPEAK_URL": f"http://127.0.0.1:{free_port()}"})
    )
    assert "The service does not answer" in away.about("speaking")
    assert away.code == 0
    assert voice.asked == 0


async def test_a_database_that_cannot_be_written_fails(practice: Practice) -> None:
    file = await practice.been_used_by(ANN)
    file.chmod(0o444)
    report = await practice.report(module=OBEYING)
    assert report.code == 1
    assert "cannot be read or written" in report.about("database")
    assert str(file) in report.about("database")


@pytest.mark.parametrize("name", ["inbox", "chat", "entry", "ix_turn_unsettled", "usage"])
async def test_a_damaged_page_is_found_wherever_it_is(practice: Practice, name: str) -> None:
    file = await practice.been_used_by(ANN)
    damage(file, name)
    report = await practice.report()
    assert report.code == 1
    assert report.about("database").startswith("fail database The database is damaged in 1 table:")
    assert f"Bring {file} back from a backup" in report.about("database")


async def test_a_damaged_index_of_words_is_told_as_one_that_can_be_made_anew(
    practice: Practice,
) -> None:
    await practice.been_left_with_a_damaged_index()
    report = await practice.report()
    assert report.about("database").startswith("ok")
    assert report.about("memory").startswith("warn memory The index of words is damaged:")
    assert "memory reindex" in report.about("memory")


async def test_a_full_disk_is_found_by_writing(practice: Practice) -> None:
    file = await practice.been_used_by(ANN)
    report = await practice.report(module=CRAMPED)
    assert report.code == 1
    assert report.about("database").startswith("fail database The folder of the database cannot be")
    assert f"Make room on the disk of {file.parent}." in report.about("database")
    assert f"Make room on the disk of {practice.home}" in report.about("home")
    assert [path.name for path in practice.home.iterdir() if file.name not in path.name] == []


@pytest.mark.parametrize("mode", [0o700, 0o500], ids=["the file", "file and folder"])
@pytest.mark.parametrize("arguments", [("run",), ("ask", "hello")], ids=["run", "ask"])
async def test_no_start_goes_on_with_a_database_that_it_cannot_write(
    practice: Practice, arguments: tuple[str, ...], mode: int
) -> None:
    file = await practice.been_used_by(ANN)
    file.chmod(0o400)
    (practice.home / "workspace").mkdir()
    (practice.home / "chat.log").touch()
    (practice.home / "lock").touch()
    practice.home.chmod(mode)
    try:
        start = await practice.run(*arguments, module=OBEYING)
    finally:
        practice.home.chmod(0o700)
    assert start.code == 75
    assert start.text.startswith("steward: The database cannot be read or written: ")
    assert f"Give your user the right to write {file} and its folder." in start.text
    assert len(start.text.splitlines()) == 1


@pytest.mark.parametrize("arguments", [("run",), ("ask", "hello")], ids=["run", "ask"])
async def test_a_home_that_cannot_be_made_is_told_with_what_helps(
    practice: Practice, arguments: tuple[str, ...]
) -> None:
    nest = practice.folder / "nest"
    nest.mkdir(mode=0o500)
    start = await practice.run(*arguments, module=OBEYING, STEWARD_HOME=str(nest / "data"))
    nest.chmod(0o700)
    assert start.code == 2
    told = f"steward: STEWARD_HOME cannot be {nest / 'data'}: Permission denied."
    assert start.text.startswith(f"{told} Give your user the right to write there")


@pytest.mark.parametrize("absolute", [True, False], ids=["absolute", "relative"])
async def test_a_home_nobody_may_look_into_is_named_and_kills_nobody(
    practice: Practice, *, absolute: bool
) -> None:
    await practice.been_used_by(ANN)
    named = str(practice.home) if absolute else "data"
    practice.home.chmod(0o000)
    try:
        report = await practice.report(module=OBEYING, STEWARD_HOME=named)
        start = await practice.run("run", module=OBEYING, STEWARD_HOME=named)
    finally:
        practice.home.chmod(0o700)
    assert report.code == 1
    assert report.about("home").startswith("fail")
    assert "disk" not in _SUBJECT.findall(report.text)
    assert start.code == 2
    assert start.text.startswith("steward: STEWARD_HOME cannot be")
    assert "STEWARD_WORKSPACE" not in start.text


async def test_a_home_in_a_folder_that_takes_none_fails(practice: Practice) -> None:
    report = await practice.report(STEWARD_HOME="/proc/nope")
    assert report.code == 1
    assert report.about("home").startswith("fail")
    assert not {"disk", "workspace"} & set(_SUBJECT.findall(report.text))
    assert "STEWARD_WORKSPACE" not in report.text, "nobody has set it"
    assert "1 thing fails." in report.text


async def test_it_leaves_no_trace(practice: Practice) -> None:
    await practice.report()
    assert [path.name for path in practice.folder.iterdir()] == ["printed.txt"]


@pytest.mark.starts_anew
async def test_the_missing_driver_is_told_with_the_command_of_this_installation(
    practice: Practice,
) -> None:
    hiding = practice.folder / "hiding" / "psycopg"
    hiding.mkdir(parents=True)
    absent = "raise ModuleNotFoundError('No module named psycopg', name='psycopg')\n"
    (hiding / "__init__.py").write_text(absent)
    report = await practice.report(
        PYTHONPATH=f"{hiding.parent}:{ROOT}", STEWARD_DATABASE_URL="postgresql://x@127.0.0.1/x"
    )
    assert report.code == 1
    assert "make postgres" in report.about("database")
    assert "pip install" not in report.text


async def test_a_postgresql_server_that_is_not_there_is_told_in_a_sentence(
    practice: Practice,
) -> None:
    pytest.importorskip("psycopg")
    report = await practice.report(STEWARD_DATABASE_URL="postgresql://x@127.0.0.1:9/x")
    told = report.about("database")
    assert "PostgreSQL at 127.0.0.1, port 9, cannot be reached: Connection refused." in told
    assert "connection to server" not in told
    assert report.code == 1
