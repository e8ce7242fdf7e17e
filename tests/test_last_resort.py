"""A process that was told to end does so, whatever still goes on in it."""

import signal
import subprocess
import sys

import pytest

from tests.patience import PATIENCE

_HELD_UP = """
import asyncio, sys, time
from types import SimpleNamespace
from bot.cli.running import run_to_end

async def work():
    print("works", flush=True)
    await asyncio.to_thread(time.sleep, 3600)

sys.exit(run_to_end(SimpleNamespace(new_loop=asyncio.new_event_loop), work()))
"""
"""A program with a thread that nobody can interrupt."""


@pytest.mark.parametrize(("told", "code"), [(signal.SIGTERM, 0), (signal.SIGINT, 130)])
def test_a_thread_that_goes_on_does_not_keep_the_process(told: signal.Signals, code: int) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", _HELD_UP],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "works\n"
        process.send_signal(told)
        _, error = process.communicate(timeout=PATIENCE)
    assert process.returncode == code
    assert "the process did not end within" in error
