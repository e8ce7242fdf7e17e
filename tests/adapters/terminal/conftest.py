"""A terminal channel on paper for each test."""

import pytest

from tests.adapters.terminal.desk import Desk


@pytest.fixture
def desk() -> Desk:
    return Desk()
