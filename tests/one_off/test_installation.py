"""A checkout is brought up to date by git and make; other installations by pip or uv."""

import subprocess
import sys
from pathlib import Path
from zipfile import ZipFile

import pytest

from bot.adapters.sql.migrating import REVISIONS
from bot.domain.talk.errors import SettingError
from bot.one_off import installation
from bot.one_off.installation import Checkout
from bot.one_off.kept_environment import Note
from bot.setup import installing

MAKEFILE = """\
.venv/.run:
	@grep -q bad CHANGELOG.md && exit 1; cp CHANGELOG.md .venv/installed
.venv/.dev: .venv/.run
.venv/.traces: .venv/.run
	@cp CHANGELOG.md .venv/traces
.PHONY: .venv/.run .venv/.dev .venv/.traces
"""


def git(folder: Path, *arguments: str) -> str:
    known = ("-c", "user.name=Ann", "-c", "user.email=ann@example.org")
    done = subprocess.run(
        ["git", "-C", str(folder), *known, *arguments], check=True, capture_output=True, text=True
    )
    return done.stdout.strip()


def publish(folder: Path, entry: str, step: str = "", makefile: str = MAKEFILE) -> None:
    (folder / "CHANGELOG.md").write_text(f"# Changelog\n\n## Unreleased\n\n- {entry}\n")
    (folder / "pyproject.toml").write_text('[project]\nversion = "0.3.0"\n')
    (folder / "Makefile").write_text(makefile)
    (folder / ".gitignore").write_text(".venv/\n")
    versions = folder / "alembic" / "versions"
    versions.mkdir(parents=True, exist_ok=True)
    (versions / f"{REVISIONS[0]}_first.py").write_text('"""The first."""\n')
    if step:
        (versions / "9901_step.py").write_text(f'"""{step}"""\n')
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message", entry)


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    origin, beside = tmp_path / "origin", tmp_path / "beside"
    origin.mkdir()
    beside.mkdir()
    git(origin, "init", "--quiet")
    publish(origin, "It is old.")
    git(tmp_path, "clone", "--quiet", str(origin), "own")
    environment = tmp_path / "own" / ".venv"
    program = environment / "bin" / "steward"
    program.parent.mkdir(parents=True)
    program.write_text('#!/bin/sh\necho "the old one: $*"\n')
    program.chmod(0o755)
    for step in (".dev", ".traces"):
        (environment / step).touch()
    (environment / "installed").write_text("old")
    return Checkout(tmp_path / "own", beside)


def test_a_checkout_fetches_says_what_is_new_installs_by_its_locks_and_goes_back(
    checkout: Checkout, tmp_path: Path
) -> None:
    own, before = tmp_path / "own", git(tmp_path / "own", "rev-parse", "HEAD")
    assert checkout.newest() is None
    publish(tmp_path / "origin", "**Birds** fly.", "Birds have a table.")
    newest = checkout.newest()
    assert newest is not None
    assert list(newest.changes()) == [
        "- Birds fly.",
        "The database is upgraded, in 1 step: Birds have a table.",
    ]
    checkout.kept.keep()
    note = Note("0001", source=checkout.source)
    checkout.install(newest, note)
    assert (checkout.kept.is_new(), checkout.kept.left()) == (True, note)
    for one in ("installed", "traces"):
        assert "Birds" in (own / ".venv" / one).read_text()
    checkout.go_back(note)
    assert (own / ".venv" / "installed").read_text() == "old"
    assert git(own, "rev-parse", "HEAD") == before
    assert not checkout.kept.copy.exists()


def test_a_checkout_with_changes_of_its_owner_is_not_touched(
    checkout: Checkout, tmp_path: Path
) -> None:
    (tmp_path / "own" / "CHANGELOG.md").write_text("mine")
    with pytest.raises(SettingError, match="has changes of yours"):
        checkout.newest()


def test_a_checkout_on_no_branch_says_which_step_is_missing(
    checkout: Checkout, tmp_path: Path
) -> None:
    git(tmp_path / "own", "switch", "--quiet", "--detach")
    with pytest.raises(SettingError, match="Go to one, as in `git switch main`"):
        checkout.newest()


def test_what_make_cannot_install_is_told(checkout: Checkout, tmp_path: Path) -> None:
    publish(tmp_path / "origin", "A bad one.")
    newest = checkout.newest()
    assert newest is not None
    checkout.kept.keep()
    with pytest.raises(SettingError, match="make failed"):
        checkout.install(newest, Note(None, source=checkout.source))


def test_a_checkout_that_was_cut_off_in_the_middle_comes_back_at_the_next_call(
    checkout: Checkout, tmp_path: Path
) -> None:
    own = tmp_path / "own"
    before = git(own, "rev-parse", "HEAD")
    # All is killed while make works, when half of the new version is installed.
    killing = "@rm .venv/installed; kill -9 $$(ps -o ppid= -p $$PPID) $$PPID; exit; grep"
    makefile = MAKEFILE.replace("@grep", killing)
    publish(tmp_path / "origin", "**Birds** fly.", "Birds have a table.", makefile)
    script = (
        "import sys; from pathlib import Path; from bot.one_off.installation import *\n"
        "one = Checkout(Path(sys.argv[1]), Path(sys.argv[2])); new = one.newest()\n"
        "one.kept.keep(); one.install(new, Note('0001', source=one.source))\n"
    )
    beside = tmp_path / "beside again"
    beside.mkdir()
    subprocess.run([sys.executable, "-c", script, own, beside], check=False)
    assert not (own / ".venv" / "installed").exists()
    assert git(own, "rev-parse", "HEAD") != before
    (own / ".git" / "index.lock").touch()
    program = own / ".venv" / "bin" / "steward"
    for _ in range(2):
        assert subprocess.check_output([program, "run"], text=True) == "the old one: run\n"
    assert (own / ".venv" / "installed").read_text() == "old"
    assert (git(own, "rev-parse", "HEAD"), git(own, "status", "--porcelain")) == (before, "")
    assert [one.name for one in own.iterdir() if "before" in one.name] == []


def test_an_environment_without_pip_is_served_by_uv_with_the_optional_parts_it_has(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    wheel = tmp_path / "steward-99.0.0-py3-none-any.whl"
    wheel.write_bytes(b"no archive")
    with pytest.raises(SettingError, match="cannot be read"):
        installation.Packaged(tmp_path, tmp_path).newest()
    ZipFile(wheel, "w").close()
    (tmp_path / "steward-no_version-py3-none-any.whl").touch()
    ran: list[tuple[str, ...]] = []
    monkeypatch.setattr(installation, "output_of", lambda *command: ran.append(command))
    monkeypatch.setattr(installing, "find_spec", lambda name: None)
    monkeypatch.setattr(
        installation, "distributions", lambda name: [] if name == "chromadb" else [name]
    )
    monkeypatch.setattr(installing.shutil, "which", lambda name: f"/bin/{name}")
    place = installation.Packaged(tmp_path, tmp_path)
    newest = place.newest()
    assert newest is not None
    monkeypatch.setattr(place.kept, "settle", lambda: None)
    place.prepare(newest)
    links = ("--find-links", str(tmp_path))
    python = str(place.kept.copy / "bin" / Path(sys.executable).name)
    expected = ("/bin/uv", "pip", "install", "--python", python, "--quiet")
    assert ran == [(*expected, *links, f"{wheel}[postgres,traces]")]
