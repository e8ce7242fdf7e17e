"""The place of a run: which folder's settings count, and where everything is kept."""

import os
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from bot.settings import read_settings
from bot.settings.whereabouts import KnownFolders, Whereabouts, whereabouts
from bot.visits.own_folder import is_own_folder, persons_home
from tests.lacking import skip


@pytest.fixture(autouse=True)
def person(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder in which the system keeps the data of somebody; nothing is there yet."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "person"))
    return tmp_path / "person" / "steward"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    return folder


def _found(
    standing: Path, named: str = "", *, checkout: Path | None = None, serves: bool = False
) -> Whereabouts:
    environ = {"STEWARD_HOME": named} if named else {}
    return whereabouts(environ, standing, KnownFolders(), checkout=checkout, serves=serves)


def test_everything_of_a_person_lies_in_one_home_wherever_they_stand(
    project: Path, person: Path
) -> None:
    assert persons_home() == person
    assert _found(project) == Whereabouts(person, person)
    assert not person.exists()


def test_a_home_that_is_named_counts_first(project: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    assert _found(project, str(elsewhere)) == Whereabouts(elsewhere, elsewhere)
    # A home beside its files of settings, as it always was.
    beside = project / "data"
    assert _found(project, str(beside)) == Whereabouts(project, beside)


def test_a_relative_home_trusts_no_folder_that_one_stands_in(project: Path) -> None:
    (project / "steward.toml").write_text("[mcp.evil]\ncommand = 'touch'\n")
    kept = project / "data"
    assert _found(project, "data") == Whereabouts(kept, kept, doubtful=True)
    KnownFolders().remember("settings", project, True)
    assert _found(project, "data") == Whereabouts(project, kept)
    environ = {"STEWARD_HOME": "data"}
    assert read_settings(environ, kept, home=kept).home == kept


def test_a_yes_is_to_the_settings_as_they_were(project: Path) -> None:
    (project / ".env").write_text("STEWARD_WEB=false\n")
    KnownFolders().remember("settings", project, True)
    assert not _found(project).doubtful
    (project / "steward.toml").write_text("[mcp.evil]\ncommand = 'touch'\n")
    assert _found(project).doubtful
    assert KnownFolders().said("settings", project) is None


def test_a_home_with_settings_of_its_own_reads_them_wherever_one_stands(
    project: Path, tmp_path: Path
) -> None:
    home = project / "kept"
    home.mkdir()
    (home / ".env").write_text("STEWARD_WEB=false\n")
    (project / "steward.toml").write_text("[mcp.other]\ncommand = 'touch'\n")
    for standing in (project, tmp_path, home):
        assert _found(standing, str(home)).folder == home


def test_settings_beside_a_home_count_only_in_a_folder_of_ones_own(project: Path) -> None:
    (project / "steward.toml").write_text("web = false\n")
    assert _found(project, str(project / "kept")).folder == project
    project.chmod(0o777)
    assert _found(project, str(project / "kept")).folder == project / "kept"
    # Deeper below, nothing tells that the two belong together.
    project.chmod(0o755)
    assert _found(project, str(project / "far" / "kept")).folder == project / "far" / "kept"


def test_a_folder_of_a_group_of_others_is_not_ones_own(project: Path) -> None:
    assert is_own_folder(project)
    project.chmod(0o775)
    assert is_own_folder(project)
    if os.geteuid() != 0:
        skip("root may give a folder to another group", "make test as root")
    os.chown(project, -1, os.getegid() + 1)
    assert not is_own_folder(project)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("steward.toml", "[mcp.evil]\ncommand = 'touch'\n"),
        (".env", "STEWARD_OWNERS=telegram:666\n"),
        ("data/steward.db", ""),
    ],
)
def test_settings_of_a_folder_count_only_once_somebody_said_so(
    project: Path, person: Path, name: str, words: str
) -> None:
    (project / name).parent.mkdir(exist_ok=True)
    (project / name).write_text(words)
    assert _found(project) == Whereabouts(person, person, doubtful=True)
    KnownFolders().remember("settings", project, False)
    assert _found(project) == Whereabouts(person, person)
    KnownFolders().remember("settings", project, True)
    assert _found(project) == Whereabouts(project, project / "data")
    # A home that is named makes nobody trust another folder.
    KnownFolders().remember("settings", project, False)
    assert _found(project, str(person / "x")) == Whereabouts(person / "x", person / "x")


def test_a_projects_own_keys_are_no_settings(project: Path, person: Path) -> None:
    (project / ".env").write_text("OPENAI_API_KEY=sk-of-the-project\nTELEGRAM_BOT_TOKEN=1:a\n")
    assert _found(project) == Whereabouts(person, person)


def test_a_service_reads_the_folder_that_its_operator_chose(project: Path) -> None:
    (project / ".env").write_text("TELEGRAM_BOT_TOKEN=1:a\n")
    assert _found(project, serves=True) == Whereabouts(project, project / "data")


def test_a_checkout_with_settings_is_the_home_in_every_folder(
    project: Path, tmp_path: Path, person: Path
) -> None:
    checkout = tmp_path / "checkout"
    checkout.mkdir()
    assert _found(checkout, checkout=checkout) == Whereabouts(person, person)
    (checkout / ".env").write_text("ANTHROPIC_API_KEY=sk-ant-x\n")
    kept = Whereabouts(checkout, checkout / "data")
    assert _found(checkout, checkout=checkout) == kept
    assert _found(project, checkout=checkout) == kept


def test_a_file_that_cannot_be_read_counts_as_nobodys_settings(project: Path, person: Path) -> None:
    (project / ".env").mkdir()
    assert _found(project) == Whereabouts(person, person)
    assert _found(project, serves=True).folder == project


def test_answers_are_kept_for_their_person_alone(project: Path, person: Path) -> None:
    known = KnownFolders()
    assert known.said("work", project) is None
    known.remember("work", project, True)
    known.remember("settings", project, False)
    assert KnownFolders().said("work", project) is True
    assert KnownFolders().said("settings", project) is False
    file = person / "known_folders.json"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    for broken in ("", "[]", '{"work": 1}', "\xff"):
        file.write_text(broken)
        assert KnownFolders().said("work", project) is None
    known.remember("work", project, True)
    assert known.said("work", project) is True


def test_answers_of_two_programs_at_once_are_all_kept(tmp_path: Path, person: Path) -> None:
    folders = [tmp_path / str(number) for number in range(24)]
    with ThreadPoolExecutor(8) as writers:
        list(writers.map(lambda one: KnownFolders().remember("work", one, True), folders))
    assert len(KnownFolders().answers()) == len(folders)


def test_an_answer_is_taken_back(project: Path, person: Path) -> None:
    known = KnownFolders()
    known.remember("work", project, False)
    known.remember("settings", project, True)
    told = [(str(project), "settings", True), (str(project), "work", False)]
    assert known.answers() == told
    assert known.forget(project)
    assert not known.forget(project)
    assert (known.said("work", project), known.answers()) == (None, [])
