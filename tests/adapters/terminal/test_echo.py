"""The echo of a terminal is off for a while, and then as it was before."""

import io
import os
import sys
import termios
from collections.abc import Iterator

import pytest

from bot.adapters.terminal.echo import unechoed


@pytest.fixture
def keyboard(monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """A terminal as the standard input."""
    there, here = os.openpty()
    with os.fdopen(here, "r") as stdin:
        monkeypatch.setattr(sys, "stdin", stdin)
        yield here
    os.close(there)


def echoes(keyboard: int) -> bool:
    return bool(termios.tcgetattr(keyboard)[3] & termios.ECHO)


def test_what_is_typed_is_not_shown_until_it_ends(keyboard: int) -> None:
    def left_by(key: type[BaseException]) -> None:
        with unechoed():
            assert not echoes(keyboard)
            raise key

    with pytest.raises(KeyboardInterrupt):
        left_by(KeyboardInterrupt)
    assert echoes(keyboard)


def test_a_pipe_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("words"))
    with unechoed():
        assert sys.stdin.read() == "words"
