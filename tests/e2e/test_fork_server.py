"""A forked start is a start: the program finds what it finds when it is started anew."""

import asyncio
import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.launching import ROOT, ForkServer, Launch, Start, launch_anew, surroundings

MIRROR = "tests.e2e.fork_server_mirror"


async def seen(launch: Launch, folder: Path, code: int) -> Any:
    """What the program prints of itself, once it has ended with the code it was told."""
    printed = folder / "printed.txt"
    environment = surroundings() | {"STEWARD_HOME": str(folder), "TZ": "Asia/Tokyo"}
    with printed.open("wb") as output:
        process = await launch(Start((str(code), "two words"), environment, folder, MIRROR), output)
        assert await process.wait() == process.returncode == code
    return json.loads(printed.read_text())


async def test_a_forked_program_finds_around_itself_what_a_new_one_finds(
    tmp_path: Path, forks: ForkServer
) -> None:
    (anew, _), (forked, _) = [
        await seen(launch, tmp_path, 3) for launch in (launch_anew, forks.launch)
    ]
    assert anew["arguments"] == ["3", "two words"]
    assert anew["environment"]["TZ"] == "Asia/Tokyo"
    assert forked == anew


async def test_two_forked_programs_have_sessions_and_chances_of_their_own(
    tmp_path: Path, forks: ForkServer
) -> None:
    (_, one), (_, other) = [await seen(forks.launch, tmp_path, code) for code in (0, 1)]
    assert one["own session"]
    assert other["own session"]
    assert one["random"] != other["random"]


async def test_a_forked_program_imports_nothing_when_it_starts(
    tmp_path: Path, forks: ForkServer
) -> None:
    """Otherwise each start of each test would pay for it again, and nobody would notice."""
    code = "import sys, bot.__main__, bot.start, bot.bootstrap.program; print(*sys.modules)"
    told = await asyncio.to_thread(
        subprocess.run, [sys.executable, "-c", code], cwd=ROOT, capture_output=True, check=True
    )
    imported = set(told.stdout.decode().split()) - {"bot.__main__"}
    assert "bot.bootstrap.serving" in imported
    _, forked = await seen(forks.launch, tmp_path, 0)
    assert imported - set(forked["modules"]) == set()


async def test_a_forked_program_has_all_of_discord_loaded(
    tmp_path: Path, forks: ForkServer
) -> None:
    """Half of all starts serve it, and its library takes as long as all the rest of a start."""
    files = (ROOT / "bot/adapters/discord").glob("[a-z]*.py")
    wanted = {f"bot.adapters.discord.{file.stem}" for file in files}
    assert wanted
    _, forked = await seen(forks.launch, tmp_path, 0)
    assert wanted - set(forked["modules"]) == set()


async def test_a_forked_program_has_the_last_words_of_a_new_one(
    tmp_path: Path, forks: ForkServer
) -> None:
    for launch in (launch_anew, forks.launch):
        with (tmp_path / "printed.txt").open("wb") as output:
            start = Start(("4", "last words"), surroundings(), tmp_path, MIRROR)
            assert await (await launch(start, output)).wait() == 4
        told = (tmp_path / "printed.txt").read_text().splitlines()[1:]
        assert told[:3] == ["not flushed", "thread", "atexit"]
        assert "coroutine 'sleep' was never awaited" in told[3]


@pytest.mark.parametrize("way", ["terminate", "kill"])
async def test_a_forked_program_ends_by_a_signal_like_any_other(
    tmp_path: Path, forks: ForkServer, way: str
) -> None:
    with (tmp_path / "printed.txt").open("wb") as output:
        start = Start(("wait",), surroundings(), tmp_path, MIRROR)
        process = await forks.launch(start, output)
    assert process.returncode is None
    getattr(process, way)()
    expected = {"terminate": signal.SIGTERM, "kill": signal.SIGKILL}[way]
    assert await process.wait() == -expected
    with pytest.raises(ProcessLookupError):
        process.kill()


async def test_a_program_that_dies_takes_no_other_one_with_it(
    tmp_path: Path, forks: ForkServer
) -> None:
    with (tmp_path / "printed.txt").open("wb") as output:
        waiting = await forks.launch(Start(("wait",), surroundings(), tmp_path, MIRROR), output)
        broken = Start((), surroundings(), tmp_path, "tests.e2e.no_such_program")
        assert await (await forks.launch(broken, output)).wait() == 1
        dying = await forks.launch(Start(("wait",), surroundings(), tmp_path, MIRROR), output)
    dying.kill()
    assert await dying.wait() == -signal.SIGKILL
    _, after = await seen(forks.launch, tmp_path, 0)
    assert after["own session"]
    assert waiting.returncode is None
    waiting.kill()
    assert await waiting.wait() == -signal.SIGKILL
