"""What scenarios share."""

import pytest

from bot.flow import application
from bot.flow.hooks import tries
from bot.flow.schedules import clockwork

_LONG = 900.0


@pytest.fixture
def frequent_looks() -> None:
    """Keeps the looks for a scenario whose clock jumps."""


@pytest.fixture
def rare_looks(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    """Spares scenarios of many days the looks that only a clock that jumps needs."""
    if "frequent_looks" in request.fixturenames:
        return
    for module, name in (
        (application, "SWEEP_SECONDS"),
        (clockwork, "LONGEST_NAP"),
        (tries, "LONGEST_NAP"),
    ):
        monkeypatch.setattr(module, name, _LONG)
