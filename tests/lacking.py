"""Skipping a test for want of something, with the words for what would let it run."""

import os
from typing import NoReturn

import pytest


def skip(lack: str, remedy: str) -> NoReturn:
    """Skips the test; the remedy is the command, or the condition, that lets it run."""
    pytest.skip(_reason(lack, remedy))


def missing(lack: str, remedy: str) -> NoReturn:
    """Skips the test, or fails it where STEWARD_TEST_REQUIRE_ALL=1 says nothing may be missing."""
    if os.environ.get("STEWARD_TEST_REQUIRE_ALL") == "1":
        pytest.fail(_reason(lack, remedy), pytrace=False)
    skip(lack, remedy)


def _reason(lack: str, remedy: str) -> str:
    return f"{lack}; to run: {remedy}"
