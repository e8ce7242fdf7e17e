"""Chroma's child for tests: forked from a process that has loaded the library once."""

from collections.abc import Iterator

import pytest

from tests.e2e.launching import ForkServer, fork_server

CHILD = "bot.adapters.chroma.child"


@pytest.fixture(scope="session")
def chroma_forks() -> Iterator[ForkServer]:
    """Chroma, loaded once for all tests of the session that are not about its memory."""
    with fork_server("bot.adapters.chroma.index") as server:
        yield server


@pytest.fixture(scope="session")
def chroma_interpreter(chroma_forks: ForkServer, tmp_path_factory: pytest.TempPathFactory) -> str:
    """What a program starts as its interpreter, so that its index of meaning is forked."""
    return chroma_forks.interpreter(tmp_path_factory.mktemp("chroma") / "python", CHILD)
