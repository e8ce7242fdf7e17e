"""The profile `grown` of docker-compose.yml, as processes of this machine.

`python -m tests.e2e.grown FOLDER` starts them with the settings of the environment, which name a
PostgreSQL and a platform, and ends them at Ctrl-C.
"""

import asyncio
import os
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).parents[2]
PROFILE = "grown"


def services() -> Mapping[str, Any]:
    """Every service of the profile by its name, as the file describes it."""
    described = yaml.safe_load((ROOT / "docker-compose.yml").read_text("utf-8"))
    return {
        name: service
        for name, service in described["services"].items()
        if PROFILE in service.get("profiles", ())
    }


def commands() -> Mapping[str, Sequence[str]]:
    """The arguments of each process of Steward, by the name of its service."""
    return {
        name: service["command"]
        for name, service in services().items()
        if service.get("image") == "steward"
    }


def homes(folder: Path) -> Mapping[str, Mapping[str, str]]:
    """The settings that each process has for itself: a home of its own, and one workspace."""
    workspace = str(folder / "workspace")
    return {
        name: {"STEWARD_HOME": str(folder / name), "STEWARD_WORKSPACE": workspace}
        for name in commands()
    }


async def run(folder: Path) -> None:
    """Runs all of them until cancelled; each that ends is started again."""
    async with asyncio.TaskGroup() as group:
        for name, arguments in commands().items():
            group.create_task(_kept(arguments, {**os.environ, **homes(folder)[name]}))


async def _kept(arguments: Sequence[str], settings: Mapping[str, str]) -> None:
    while True:
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "bot", *arguments, env=settings, stdin=asyncio.subprocess.DEVNULL
        )
        try:
            await process.wait()
        finally:
            with suppress(ProcessLookupError):
                process.terminate()
        await asyncio.sleep(1)


if __name__ == "__main__":
    with suppress(KeyboardInterrupt):
        asyncio.run(run(Path(sys.argv[1])))
