"""Recordings are there as a whole or not at all."""

from pathlib import Path

import pytest

from bot.adapters.voice.sound_files import SoundFiles


async def test_a_recording_is_kept_found_and_dropped(tmp_path: Path) -> None:
    files = SoundFiles(tmp_path / "voice")
    assert await files.all() == []
    path = await files.keep("t1", b"sound")
    assert path == str(tmp_path / "voice" / "t1.ogg")
    assert await files.kept("t1") == (path, b"sound")
    assert await files.all() == ["t1"]
    await files.drop("t1")
    await files.drop("t1")
    assert (await files.kept("t1"), await files.all()) == (None, [])


async def test_a_half_written_recording_is_none(tmp_path: Path) -> None:
    files = SoundFiles(tmp_path)
    (tmp_path / "t1.part").write_bytes(b"so")
    assert (await files.kept("t1"), await files.all()) == (None, [])


async def test_a_folder_that_cannot_be_written_is_told_in_the_log(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "voice").write_text("a file where a folder should be")
    assert await SoundFiles(tmp_path / "voice").keep("t1", b"sound") is None
    assert "cannot be kept" in caplog.text
