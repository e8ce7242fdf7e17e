"""The locks of a machine that is gone are free, though the server has written to it since."""

import os
import shutil
import subprocess
import sys

import pytest

from tests.e2e.own_server import needs_server
from tests.lacking import missing
from tests.patience import PATIENCE

pytestmark = pytest.mark.postgres

_LONGEST = 30.0
"""Seconds: six times what the server waits, on a busy machine."""

_AS_ROOT, _AS_ANYBODY = ("--net",), ("--user", "--map-current-user", "--keep-caps", "--net")
_APART = ("unshare", *(_AS_ROOT if os.geteuid() == 0 else _AS_ANYBODY))


def test_the_post_and_the_chats_of_a_lost_machine_are_free_within_seconds() -> None:
    """Without a limit for what is not confirmed, TCP would hold them for a quarter of an hour."""
    needs_server()
    if shutil.which("unshare") is None or shutil.which("ip") is None:
        missing("no unshare or ip", "apt-get install util-linux iproute2")
    if subprocess.run([*_APART, "true"], capture_output=True, check=False).returncode:
        missing("no network of its own", "make test as root, or where user namespaces are allowed")
    done = subprocess.run(
        [*_APART, sys.executable, "-m", "tests.adapters.sql.lost_machine"],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    held, free = done.stdout.splitlines()
    assert (held, free.partition(" after ")[0]) == ("held", "free"), done.stderr
    # Not one of the quarter of an hour, nor the limit of this test.
    assert float(free.split()[2]) < _LONGEST
