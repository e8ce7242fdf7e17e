"""Skipping a test for want of something, with the words for what would let it run."""

import os
from typing import NoReturn

import pytest

from bot.adapters.tools.sandbox import Sandbox

_TO_RUN = "; to run: "


def skip(lack: str, remedy: str) -> NoReturn:
    """Skips the test; the remedy is the command, or the condition, that lets it run."""
    pytest.skip(_reason(lack, remedy))


def missing(lack: str, remedy: str) -> NoReturn:
    """Skips the test, or fails it where STEWARD_TEST_REQUIRE_ALL=1 says nothing may be missing."""
    if os.environ.get("STEWARD_TEST_REQUIRE_ALL") == "1":
        pytest.fail(_reason(lack, remedy), pytrace=False)
    skip(lack, remedy)


THOROUGH = os.environ.get("STEWARD_TEST_PROFILE") == "thorough"
"""True in the run that is made once a day and before a release."""

TAKES_LONG = pytest.mark.skipif(
    not THOROUGH, reason=f"takes long{_TO_RUN}STEWARD_TEST_PROFILE=thorough make test"
)


def is_lack(reason: str) -> bool:
    """Returns whether a test was skipped for want of something that a machine can have."""
    return _TO_RUN in reason


async def working_sandbox() -> Sandbox:
    """Returns the sandbox, or skips the test where commands run without one."""
    sandbox = Sandbox()
    if not await sandbox.works():
        remedy = "apt-get install bubblewrap, where user namespaces are allowed"
        missing(f"no working bubblewrap ({sandbox.fault})", remedy)
    return sandbox


def _reason(lack: str, remedy: str) -> str:
    return f"{lack}{_TO_RUN}{remedy}"
