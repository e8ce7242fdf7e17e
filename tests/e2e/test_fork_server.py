"""A forked start is a start: the program finds what it finds when it is started anew."""

import json
import signal
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.launching import ForkServer, Launch, Start, launch_anew, surroundings

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
