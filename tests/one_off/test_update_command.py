"""An update that fails says why, and never leaves the new version in the place of the old one."""

import shutil
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import pytest

from bot.domain.talk.errors import SettingError, StoreUnwritable
from bot.one_off import update_command
from bot.one_off.installation import Installation
from bot.one_off.kept_environment import KeptEnvironment, Note
from bot.one_off.newer_version import NewerVersion
from bot.one_off.served_process import Standing
from bot.settings.reading import read_settings
from bot.shipped import shipped


class NoRoom(NamedTuple):
    total: int = 1
    used: int = 1
    free: int = 0


class Place:
    """An environment in a folder; the new version of it can be bad for the database too."""

    source = ""

    def __init__(self, folder: Path, *, ruins: Path | None = None, good: bool = False) -> None:
        self.environment = folder / "environment"
        self.environment.mkdir()
        (self.environment / "program").write_text("old")
        self.kept = KeptEnvironment(self.environment)
        self._ruins, self._good = ruins, good

    def newest(self) -> NewerVersion:
        return NewerVersion("9.0.0", "steward==9.0.0", shipped("."))

    def prepare(self, version: NewerVersion) -> None:
        (self.kept.copy / "program").write_text(version.version)

    def install(self, version: NewerVersion, note: Note) -> None:
        self.kept.note(note)
        self.kept.change()
        if self._ruins is not None:
            self._ruins.write_bytes(b"no database" * 100)
        if not self._good:
            raise SettingError("make failed.")

    def go_back(self, note: Note) -> None:
        self.kept.put_back()


class Commands:
    """Commands of a program that makes a backup, and can bring no database back."""

    def __init__(self, standing: Standing) -> None: ...

    def run(self, *arguments: str) -> tuple[int, str]:
        good = arguments in (("backup",), ("config",))
        return (0, "") if good else (1, "It is damaged.")


def updated(
    place: Installation, folder: Path, monkeypatch: pytest.MonkeyPatch, ends: int = 1, **given: str
) -> str:
    """Updates a home in a folder, and returns what is said."""

    @contextmanager
    def found(source: Path | None) -> Iterator[Installation]:
        yield place

    monkeypatch.setattr(update_command, "installation", found)
    settings, lines = read_settings(given, folder, home=folder / "home"), list[str]()
    code = update_command.updated(
        settings, lines.append, folder=folder, source=None, agreed=lambda: True, wait=1
    )
    assert code == ends
    return "\n".join(lines)


def test_a_disk_without_room_for_the_version_from_before_is_told_as_that_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = Place(tmp_path)
    monkeypatch.setattr(shutil, "disk_usage", lambda folder: NoRoom())
    with pytest.raises(StoreUnwritable) as told:
        updated(place, tmp_path, monkeypatch)
    assert str(told.value).startswith(
        f"Nothing was changed: there is no space in {place.environment}: 6 B are needed"
    )
    assert "database" not in str(told.value)
    assert (place.environment / "program").read_text() == "old"


def test_the_program_comes_back_although_its_database_cannot_be_read_any_more(
    sqlite_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(update_command, "Commands", Commands)
    place = Place(tmp_path, ruins=Path(sqlite_url.partition(":///")[2]))
    said = updated(place, tmp_path, monkeypatch, STEWARD_DATABASE_URL=sqlite_url)
    assert "The update to 9.0.0 failed: make failed." in said
    assert "is back, but its database is not: It is damaged." in said
    assert (place.environment / "program").read_text() == "old"


def test_a_page_whose_port_is_in_use_is_not_waited_for(
    sqlite_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(update_command, "Commands", Commands)
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = str(other.getsockname()[1])
        settings = {"STEWARD_DATABASE_URL": sqlite_url, "STEWARD_WEB_PORT": port}
        said = updated(Place(tmp_path, good=True), tmp_path, monkeypatch, 0, **settings)
    assert "is installed. Start it again, as you did before." in said
