"""The package: its wheel holds all that a run needs, and runs where there is no checkout."""

import asyncio
import fcntl
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import sysconfig
import venv
from collections.abc import Callable, Mapping
from contextlib import closing, suppress
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from zipfile import ZipFile

import pexpect
import pytest

from bot.adapters.sql.migrating import REVISIONS
from tests.patience import PATIENCE
from tests.processes import ending_well
from tests.standins.bot_api import TOKEN, BotApi
from tests.standins.serving import serving
from tests.words import NOWHERE_TO_CHAT

ROOT = Path(__file__).resolve().parents[2]
SHIPPED = ("alembic", "hooks", "plans", "skills")
_NOT_COPIED = shutil.ignore_patterns(".*", "build", "data", "dist", "node_modules", "*.egg-info")
_PINNED = re.compile(r"^([\w.-]+)==", re.MULTILINE)

pytestmark = pytest.mark.timeout(300)


def made_wheel(source: Path, folder: Path) -> Path:
    """Builds a wheel of a source tree, with the setuptools that is installed."""
    build = ["-m", "pip", "wheel", "--no-index", "--no-deps", "--no-build-isolation"]
    _python(*build, "--wheel-dir", str(folder), ".", cwd=source)
    (wheel,) = folder.glob("*.whl")
    return wheel


def _python(*arguments: str, cwd: Path) -> None:
    done = subprocess.run(
        [sys.executable, *arguments], cwd=cwd, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


def content(wheel: Path) -> Mapping[str, bytes]:
    with ZipFile(wheel) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Copies the checkout, since a build leaves files behind."""
    return Path(
        shutil.copytree(ROOT, tmp_path_factory.mktemp("source") / "steward", ignore=_NOT_COPIED)
    )


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Path:
    def make(place: Path) -> None:
        made_wheel(request.getfixturevalue("source"), place)

    (wheel,) = made_once(tmp_path_factory, "wheel", make).glob("*.whl")
    return wheel


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Returns the programs of an environment that holds the wheel and its locked requirements.

    The requirements are links to what is installed here, so that no network is needed. No other
    package can be imported, the checkout least of all.
    """
    place = made_once(tmp_path_factory, "environment", lambda place: environment_with(wheel, place))
    return programs_of(place)


def made_once(factory: pytest.TempPathFactory, name: str, make: Callable[[Path], object]) -> Path:
    """Makes something in a folder for all workers of a run: whoever comes first makes it."""
    own = factory.getbasetemp()
    place = (own.parent if "PYTEST_XDIST_WORKER" in os.environ else own) / name
    made = place.with_name(f"{name}.made")
    with place.with_name(f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not made.exists():
            shutil.rmtree(place, ignore_errors=True)
            place.mkdir()
            make(place)
            made.touch()
    return place


def programs_of(place: Path) -> Path:
    """Returns the folder of the programs of an environment."""
    return Path(_paths(place)["scripts"])


def _paths(place: Path) -> Mapping[str, str]:
    return sysconfig.get_paths("venv", {"base": str(place), "installed_base": str(place)})


def environment_with(wheel: Path, place: Path, *also: str) -> Path:
    """Makes an environment of a wheel and what it needs, and of other packages of this one."""
    venv.create(place)
    packages, programs = Path(_paths(place)["purelib"]), programs_of(place)
    install = ["-m", "pip", "--python", str(programs / "python")]
    _python(*install, "install", "--no-index", "--no-deps", str(wheel), cwd=place)
    # A package may have one version for each Python.
    locked = _PINNED.findall((ROOT / "requirements" / "run.txt").read_text())
    for name in dict.fromkeys((*locked, *also)):
        # The lock also names what only other systems need.
        with suppress(PackageNotFoundError):
            _link(name, packages)
    _python(*install, "check", cwd=place)
    return programs


def copied(environment: Path, place: Path) -> Path:
    """Copies an environment, which is no slower than a start of the program; its programs.

    A new one takes ten times as long: pip compiles each file of the wheel.
    """
    shutil.copytree(environment, place, symlinks=True)
    programs = programs_of(place)
    before, now = str(environment).encode(), str(place).encode()
    for file in (place / "pyvenv.cfg", *programs.iterdir()):
        if file.is_file() and not file.is_symlink() and before in (text := file.read_bytes()):
            file.write_bytes(text.replace(before, now))
    return programs


def _link(name: str, packages: Path) -> None:
    found = distribution(name)
    tops = {file.parts[0] for file in found.files or ()} - {"..", "__pycache__"}
    for top in tops:
        (packages / top).symlink_to(Path(str(found.locate_file(top))))


def environment(programs: Path, **settings: str) -> dict[str, str]:
    path = f"{programs}{os.pathsep}{os.environ['PATH']}"
    own = {"PATH": path, "LANG": "C.UTF-8", "TERM": "dumb", "STEWARD_HOME": "data"}
    return own | settings


def steward(
    programs: Path, folder: Path, *arguments: str, **settings: str
) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [programs / "steward", *arguments],
        cwd=folder,
        env=environment(programs, **settings),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
    )


def revision(folder: Path) -> str:
    """Returns the revision that the migrations left in the database of a run in this folder."""
    with closing(sqlite3.connect(folder / "data" / "steward.db")) as connection:
        ((number,),) = connection.execute("SELECT version_num FROM alembic_version").fetchall()
    return number


def test_the_wheel_holds_the_program_its_folders_and_the_license_and_nothing_else(
    wheel: Path,
) -> None:
    found = content(wheel)
    told = {name for name in found if ".dist-info/" in name}
    expected = {
        str(path.relative_to(ROOT)): path.read_bytes() for path in (ROOT / "bot").rglob("*.py")
    }
    table = ROOT / "bot" / "shipped" / "models.toml"
    expected[str(table.relative_to(ROOT))] = table.read_bytes()
    expected["bot/shipped/CHANGELOG.md"] = (ROOT / "CHANGELOG.md").read_bytes()
    page = ROOT / "bot" / "adapters" / "web"
    for path in (*(page / "templates").rglob("*.html"), *(page / "static").iterdir()):
        expected[str(path.relative_to(ROOT))] = path.read_bytes()
    for folder in SHIPPED:
        for path in (ROOT / folder).rglob("*"):
            if path.is_file() and path.suffix != ".pyc":
                expected[f"bot/shipped/{path.relative_to(ROOT)}"] = path.read_bytes()
    assert {name: found[name] for name in found.keys() - told} == expected
    (license_file,) = [name for name in told if name.endswith("licenses/LICENSE")]
    assert found[license_file] == (ROOT / "LICENSE").read_bytes()


def test_the_source_archive_makes_the_same_wheel(source: Path, wheel: Path, tmp_path: Path) -> None:
    make = "import sys; from setuptools import build_meta; build_meta.build_sdist(sys.argv[1])"
    _python("-c", make, str(tmp_path), cwd=source)
    (packed,) = tmp_path.glob("*.tar.gz")
    # Python's own way to unpack it safely came in the middle of 3.11.
    subprocess.run(["tar", "--extract", "--file", packed], cwd=tmp_path, check=True)
    unpacked = tmp_path / packed.name.removesuffix(".tar.gz")
    assert content(made_wheel(unpacked, tmp_path / "wheel")) == content(wheel)


def test_the_doctor_finds_the_skills_and_templates_of_an_installed_program(
    installed: Path, tmp_path: Path
) -> None:
    done = steward(installed, tmp_path, "doctor")
    assert done.returncode == 0, done.stderr
    assert re.search(r"^ok +skills +5 skills are ready\.$", done.stdout, re.MULTILINE)
    assert re.search(r"^ok +plans +3 of 3 ready-made plans are ready\.$", done.stdout, re.MULTILINE)


def test_the_doctor_of_an_installed_program_names_pip_for_the_missing_driver(
    installed: Path, tmp_path: Path
) -> None:
    done = steward(installed, tmp_path, "doctor", STEWARD_DATABASE_URL="postgresql://x@127.0.0.1/x")
    assert done.returncode == 1
    assert "`pip install steward[postgres]`" in done.stdout
    assert "make " not in done.stdout


def test_setup_of_an_installed_program_says_the_exact_command_for_the_index_of_meaning(
    installed: Path, tmp_path: Path
) -> None:
    talk = pexpect.spawn(
        str(installed / "steward"),
        ["setup", "memory"],
        cwd=str(tmp_path),
        env=environment(installed),
        timeout=PATIENCE,
        encoding="utf-8",
        dimensions=(50, 200),
    )
    talk.expect(pexpect.EOF)
    talk.close()
    assert talk.exitstatus == 0
    said = str(talk.before)
    assert re.search(r'uv pip install --python \S+/python\S* "chromadb<2,>=1\.5"\r\n', said), said
    assert "steward setup memory" in said
    assert "make " not in said


def test_an_installed_program_without_token_and_terminal_says_so_in_one_sentence(
    installed: Path, tmp_path: Path
) -> None:
    done = steward(installed, tmp_path, "run", STEWARD_WEB_PORT="0")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.splitlines() == [NOWHERE_TO_CHAT]


async def test_an_installed_program_migrates_its_database_and_answers_in_telegram(
    installed: Path, tmp_path: Path
) -> None:
    telegram = BotApi()
    ann = telegram.person(42, "Ann")
    telegram.private_chat(ann)
    async with serving(telegram.app) as url:
        settings = {
            "NO_PROXY": "127.0.0.1",
            "STEWARD_OWNERS": "telegram:42",
            "TELEGRAM_BOT_TOKEN": TOKEN,
            "TELEGRAM_API_URL": url,
        }
        process = await asyncio.create_subprocess_exec(
            installed / "steward", "run", cwd=tmp_path, env=environment(installed, **settings)
        )
        async with ending_well(process):
            telegram.say(ann, "Hello")
            await telegram.wait_for(lambda: _showing(telegram, ann.id, "demo"), PATIENCE)
    assert revision(tmp_path) == REVISIONS[-1]


def _showing(telegram: BotApi, chat: int, word: str) -> bool:
    return any(word in message.text for message in telegram.screen(chat).from_bot)


def test_an_installed_program_chats_in_the_terminal_with_the_skills_and_templates_it_brings(
    installed: Path, tmp_path: Path
) -> None:
    talk = pexpect.spawn(
        str(installed / "steward"),
        ["chat"],
        cwd=str(tmp_path),
        env=environment(installed),
        timeout=PATIENCE,
        encoding="utf-8",
    )
    talk.expect("Just write to me")
    talk.sendline("/skills")
    talk.expect("meeting-minutes")
    talk.sendline("what time is it?")
    talk.expect("UTC")
    talk.sendline("/plan use no-such-template")
    talk.expect("weekly-report")
    talk.sendline("/quit")
    talk.expect(pexpect.EOF)
    talk.close()
    assert talk.exitstatus == 0
    assert revision(tmp_path) == REVISIONS[-1]
