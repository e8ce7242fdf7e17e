"""A backup keeps what is in a folder as it is, whoever filled it, and writes nowhere else."""

import gzip
import io
import os
import socket
import tarfile
from collections.abc import Callable
from pathlib import Path

import pytest

from bot.adapters.backup.manifest import Manifest, Member, written
from bot.adapters.backup.reading import examined, extracted
from bot.adapters.backup.sealing import sealed, unsealed
from bot.adapters.backup.writing import archive_at
from bot.domain.talk.errors import BackupBroken, SettingError

Spoil = Callable[[bytes], bytes]


def manifest_of(members: list[Member]) -> bytes:
    return written(Manifest("2026-11-28T22:00:00+00:00", "1", "0042", "sqlite", {}, tuple(members)))


def backed_up(folder: Path, file: Path) -> list[str]:
    """Writes a backup of a folder; returns what was left out."""
    with archive_at(file) as archive:
        archive.put_tree("workspace", folder, lambda _: False)
        archive.end(manifest_of(archive.members))
    return [one.name for one in archive.left_out]


def brought_back(file: Path, into: Path) -> Path:
    examined(file, lambda _: None)
    extracted(file, {"workspace": into})
    return into


def seen(folder: Path) -> dict[bytes, object]:
    """Everything below a folder, by its name in bytes: the words of links, and what files hold."""
    found: dict[bytes, object] = {}
    top = os.fsencode(folder)
    for within, folders, files in os.walk(top):
        for name in (*folders, *files):
            path = Path(os.fsdecode(within + b"/" + name))
            held = path.readlink() if path.is_symlink() else path.is_dir()
            found[os.fsencode(path.relative_to(folder))] = held or path.read_bytes()
    return found


def test_hostile_names_links_and_holes_come_back_as_they_were(tmp_path: Path) -> None:
    folder = tmp_path / "filled"
    (folder / "a" / ("long" * 60)).mkdir(parents=True)
    (folder / "a" / ("long" * 60) / ("name" * 60)).write_text("deep")
    (folder / "line\nbreak").write_bytes(bytes(range(256)))
    Path(os.fsdecode(os.fsencode(folder) + b"/not\xfftext")).write_text("odd")
    (folder / "..name").write_text("dots")
    (folder / "out").symlink_to("/etc/passwd")
    (folder / "up").symlink_to("../..")
    (folder / "loop").symlink_to("loop")
    (folder / "run.sh").write_text("#!/bin/sh\n")
    (folder / "run.sh").chmod(0o755)
    with (folder / "holes").open("wb") as file:
        file.truncate(3_000_000)
    before = seen(folder)
    os.mkfifo(folder / "pipe")
    with (folder / "vast").open("wb") as file:
        file.truncate(10 << 40)
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(folder / "socket"))
        left_out = backed_up(folder, tmp_path / "b.tar.gz")
    assert sorted(left_out) == ["workspace/pipe", "workspace/socket", "workspace/vast"]
    back = brought_back(tmp_path / "b.tar.gz", tmp_path / "back")
    assert seen(back) == before
    assert (back / "run.sh").stat().st_mode & 0o777 == 0o755
    assert (tmp_path / "b.tar.gz").stat().st_mode & 0o777 == 0o600


def test_a_folder_that_is_very_deep_ends_somewhere(tmp_path: Path) -> None:
    deep = tmp_path / "filled" / "/".join("d" * 120)
    deep.mkdir(parents=True)
    assert len(backed_up(tmp_path / "filled", tmp_path / "b.tar.gz")) == 1


def test_no_backup_takes_the_place_of_another_and_a_failed_one_leaves_nothing(
    tmp_path: Path,
) -> None:
    file = tmp_path / "b.tar.gz"
    with pytest.raises(FileNotFoundError), archive_at(file) as archive:
        archive.put_bytes(str((tmp_path / "nothing").read_bytes()), b"1")
    assert list(tmp_path.iterdir()) == []
    file.write_text("mine")
    with pytest.raises(FileExistsError), archive_at(file):
        pass
    assert file.read_text() == "mine"


@pytest.mark.parametrize(
    "spoil",
    [
        lambda packed: packed[:-20],
        lambda packed: packed[: len(packed) // 2],
        lambda packed: b"nothing of ours",
        lambda packed: gzip.compress(gzip.decompress(packed).replace(b"the words", b"the sword")),
        lambda packed: gzip.compress(
            gzip.decompress(packed).replace(b'"format": 1', b'"format": 9')
        ),
    ],
    ids=["its end is missing", "cut in half", "no archive", "a byte was changed", "newer"],
)
def test_a_backup_that_is_not_as_it_was_written_is_refused(tmp_path: Path, spoil: Spoil) -> None:
    folder, file = tmp_path / "filled", tmp_path / "b.tar.gz"
    folder.mkdir()
    (folder / "note.txt").write_text("the words " * 500)
    backed_up(folder, file)
    examined(file, lambda _: None)
    file.write_bytes(spoil(file.read_bytes()))
    with pytest.raises(BackupBroken):
        examined(file, lambda _: None)


def hostile(name: str, kind: bytes = tarfile.REGTYPE, link: str = "") -> bytes:
    """An archive with one member that its manifest knows."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as tar:
        head = tarfile.TarInfo(name)
        head.type, head.linkname = kind, link
        tar.addfile(head)
        empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
        told = manifest_of([Member(name, 0, empty)] if kind == tarfile.REGTYPE else [])
        end = tarfile.TarInfo("manifest.json")
        end.size = len(told)
        tar.addfile(end, io.BytesIO(told))
    return packed.getvalue()


@pytest.mark.parametrize(
    "content",
    [
        hostile("../out"),
        hostile("/tmp/out"),
        hostile("workspace/../../out"),
        hostile("workspace//out"),
        hostile("workspace/device", tarfile.CHRTYPE),
        hostile("workspace/hard", tarfile.LNKTYPE, "workspace/other"),
        hostile("steward.db", tarfile.SYMTYPE, "/etc/passwd"),
        hostile("home", tarfile.SYMTYPE, "/etc"),
    ],
)
def test_a_name_that_leads_elsewhere_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "b.tar.gz").write_bytes(content)
    with pytest.raises(BackupBroken):
        examined(tmp_path / "b.tar.gz", lambda _: None)


def test_no_file_is_written_through_a_link_of_the_same_backup(tmp_path: Path) -> None:
    packed, outside = io.BytesIO(), tmp_path / "outside"
    outside.mkdir()
    with tarfile.open(fileobj=packed, mode="w:gz") as tar:
        link = tarfile.TarInfo("workspace/way")
        link.type, link.linkname = tarfile.SYMTYPE, str(outside)
        tar.addfile(link)
        tar.addfile(tarfile.TarInfo("workspace/way/in"))
    (tmp_path / "b.tar.gz").write_bytes(packed.getvalue())
    with pytest.raises(OSError, match="exists"):
        extracted(tmp_path / "b.tar.gz", {"workspace": tmp_path / "back"})
    assert list(outside.iterdir()) == []


def test_secrets_open_with_their_passphrase_alone() -> None:
    told = b'{"ANTHROPIC_API_KEY": "sk"}'
    closed = sealed(told, "correct horse")
    assert told not in closed
    assert unsealed(closed, "correct horse") == told
    for wrong in ((closed, "correct"), (closed[:-1], "correct horse"), (b"", "correct horse")):
        with pytest.raises(SettingError):
            unsealed(*wrong)
