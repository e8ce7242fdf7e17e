"""The owner's file about who the bot is: read at the start, when it changes, and within bounds."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from bot.adapters.persona_file.persona_file import PersonaFile
from bot.adapters.watched_files import LOOK_SECONDS
from tests.fakes.clock import FakeClock


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "persona.md"


def write(path: Path, words: str) -> None:
    path.write_text(words)


def delete(path: Path) -> None:
    path.unlink()


async def test_the_words_are_there_from_the_start_and_follow_the_file(path: Path) -> None:
    clock = FakeClock()
    write(path, "You are a pirate.\n")
    async with PersonaFile(path, 100, clock) as persona:
        assert (persona.words, persona.fault) == ("You are a pirate.", "")
        assert persona.place == str(path)
        write(path, "\ufeffYou are a butler.")
        await changed(persona, clock)
        assert persona.words == "You are a butler."
        delete(path)
        await changed(persona, clock)
        assert (persona.words, persona.fault) == ("", "")


async def changed(persona: PersonaFile, clock: FakeClock) -> None:
    """Lets the watch look until the words differ; its looks happen in threads."""
    before = persona.words
    while persona.words == before:
        await clock.advance(LOOK_SECONDS)


async def test_without_a_file_there_are_no_words(path: Path) -> None:
    async with PersonaFile(path, 100, FakeClock()) as persona:
        assert (persona.words, persona.fault) == ("", "")


async def test_only_the_first_bytes_are_read_and_that_is_told(path: Path) -> None:
    write(path, "ü" * 60)
    async with PersonaFile(path, 101, FakeClock()) as persona:
        assert persona.words == "ü" * 50
        assert persona.fault == "persona.md has more than 101 bytes: only the first are read"


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (lambda path: path.write_bytes(b"a\0b"), "persona.md is not a text"),
        (lambda path: path.mkdir(), "persona.md is not a file"),
        (os.mkfifo, "persona.md is not a file"),
        (lambda path: path.symlink_to(path), "persona.md cannot be read: "),
    ],
)
async def test_what_is_no_text_is_told_and_stops_nothing(
    path: Path, make: Callable[[Path], object], told: str
) -> None:
    make(path)
    async with PersonaFile(path, 100, FakeClock()) as persona:
        assert persona.words == ""
        assert persona.fault.startswith(told)
