"""The echo of a terminal is off for a while, and then as it was before."""

import io
import os
import termios
from collections.abc import Iterator
from typing import TextIO

import pytest

from bot.adapters.terminal.echo import unechoed


@pytest.fixture
def keyboard() -> Iterator[TextIO]:
    """The keys of a terminal."""
    there, here = os.openpty()
    with os.fdopen(here, "r") as keys:
        yield keys
    os.close(there)


def echoes(keyboard: TextIO) -> bool:
    return bool(termios.tcgetattr(keyboard)[3] & termios.ECHO)


def test_what_is_typed_is_not_shown_until_it_ends(keyboard: TextIO) -> None:
    def left_by(key: type[BaseException]) -> None:
        with unechoed(keyboard):
            assert not echoes(keyboard)
            raise key

    with pytest.raises(KeyboardInterrupt):
        left_by(KeyboardInterrupt)
    assert echoes(keyboard)


def test_a_pipe_is_left_alone() -> None:
    keys = io.StringIO("words")
    with unechoed(keys):
        assert keys.read() == "words"
