"""The unit of a service: what stands in it, and what cannot."""

import os
import pwd
from dataclasses import replace
from pathlib import Path

import pytest

from bot.domain.talk.errors import SettingError
from bot.one_off.service_unit import Service, credential, installed, user_of

_SERVICE = Service(
    "steward", Path("/srv/steward"), Path("/srv/steward/data"), (), (), Path("/opt/bin/steward")
)


@pytest.fixture(autouse=True)
def python(monkeypatch: pytest.MonkeyPatch) -> None:
    """An interpreter of the machine, wherever that of the tests is."""
    monkeypatch.setattr("sys.base_prefix", "/usr")


def lines(service: Service) -> set[str]:
    return set(service.unit().splitlines())


def test_it_writes_to_its_own_folders_alone() -> None:
    unit = lines(replace(_SERVICE, writes=(Path("/var/work"), Path("/srv/steward/data"))))
    assert "ReadWritePaths=/srv/steward/data /var/work" in unit
    assert {"ProtectSystem=strict", "ProtectHome=yes", "User=steward"} <= unit
    assert {"ExecStart=/opt/bin/steward run", "WorkingDirectory=/srv/steward"} <= unit


@pytest.mark.parametrize("home", ["/home/ana/steward", "/root/steward"])
def test_the_homes_of_people_can_be_read_where_something_of_it_stands(home: str) -> None:
    assert "ProtectHome=read-only" in lines(replace(_SERVICE, home=Path(home)))


def test_a_percent_sign_is_no_specifier() -> None:
    assert "WorkingDirectory=/srv/50%%" in lines(replace(_SERVICE, folder=Path("/srv/50%")))


@pytest.mark.parametrize("folder", ["/srv/my bot", "/srv/a\nExecStart=/bin/sh", "/srv/$HOME"])
def test_a_path_that_a_unit_would_misread_is_refused(folder: str) -> None:
    with pytest.raises(SettingError, match="A unit cannot name"):
        replace(_SERVICE, folder=Path(folder)).unit()


def test_nothing_it_keeps_stands_where_each_service_has_a_folder_of_its_own() -> None:
    with pytest.raises(SettingError, match="has a /tmp of its own"):
        replace(_SERVICE, home=Path("/tmp/steward")).unit()


def test_secrets_are_named_by_their_files() -> None:
    given = credential("TELEGRAM_BOT_TOKEN=/etc/steward/token")
    told = lines(replace(_SERVICE, credentials=(given,)))
    assert "LoadCredential=TELEGRAM_BOT_TOKEN:/etc/steward/token" in told


@pytest.mark.parametrize("text", ["TOKEN", "TOKEN=", "TOKEN=token", "a b=/x", "=/x"])
def test_a_credential_is_a_setting_and_a_whole_path(text: str) -> None:
    with pytest.raises(ValueError, match="a setting and a whole path"):
        credential(text)


def test_root_and_strangers_run_no_service() -> None:
    with pytest.raises(SettingError, match="should not run as root"):
        user_of("root")
    with pytest.raises(SettingError, match="There is no user no-such-user"):
        user_of("no-such-user")
    if os.getuid() != 0:
        assert user_of(None) == pwd.getpwuid(os.getuid()).pw_name


def test_a_unit_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    with pytest.raises(SettingError, match="Run this as root"):
        installed("[Unit]\n", tmp_path / "none" / "steward.service")
    installed("[Unit]\n", tmp_path / "steward.service")
    assert (tmp_path / "steward.service").read_text() == "[Unit]\n"
    assert (tmp_path / "steward.service").stat().st_mode & 0o777 == 0o644
