"""A child that gives one answer leaves nothing behind."""

import asyncio
import os
from asyncio.subprocess import Process
from contextlib import suppress
from pathlib import Path

import pytest

from bot.adapters.child_process import answer_of, environment_of, killed, started
from tests.patience import PATIENCE
from tests.processes import runs


async def test_a_child_that_nobody_awaits_any_more_is_gone(tmp_path: Path) -> None:
    told = tmp_path / "pid"
    os.mkfifo(told)
    code = f"import os, time; open({str(told)!r}, 'w').write(str(os.getpid())); time.sleep(999)"
    asking = asyncio.create_task(answer_of("timeit", "-n", "1", code))
    async with asyncio.timeout(PATIENCE):
        child = int(await asyncio.to_thread(told.read_text))
    assert runs(child)
    asking.cancel()
    with suppress(asyncio.CancelledError):
        await asking
    assert not runs(child)


async def test_what_starts_while_its_caller_is_cancelled_is_ended() -> None:
    begun: list[Process] = []

    async def ended(process: Process) -> None:
        begun.append(process)
        await killed(process)

    for steps in range(8):
        start = asyncio.create_task(started(("sleep", "999"), "/", {}, ended=ended))
        for _ in range(steps):
            await asyncio.sleep(0)
        if not start.cancel():
            await killed(start.result())
            break
        with pytest.raises(asyncio.CancelledError):
            await start
    assert begun
    assert not any(runs(process.pid) for process in begun)


async def test_a_child_sees_only_the_variables_that_are_passed_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("TELEGRAM_BOT_TOKEN", "canary")
    monkeypatch.setenv("TMPDIR", "/tmp")
    seen = environment_of({"OWN": "1"}, ("TMPDIR", "NONE"))
    assert set(seen) == {"PYTHONPATH", "LANG", "TMPDIR", "OWN"}
