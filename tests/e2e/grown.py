"""The profile `grown` of docker-compose.yml, as processes of this machine.

`python -m tests.e2e.grown FOLDER` starts them with the settings of the environment, which name a
PostgreSQL and a platform, and ends them at Ctrl-C. The index of meaning and the proxy of the page
are among them where `chroma` and `caddy` are installed.
"""

import asyncio
import os
import shutil
import signal
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).parents[2]
PROFILE = "grown"
_PROXY = """{
    admin off
    auto_https off
}
%s {
    bind 127.0.0.1
    reverse_proxy 127.0.0.1:%s
}
"""
"""What the profile's proxy does in a container; its short command listens at every address."""


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


def beside(folder: Path, settings: Mapping[str, str]) -> Mapping[str, Sequence[str]]:
    """The commands of the profile's other services, by name: those that this machine has.

    Chroma is left out, too, where the settings name a server of their own. PostgreSQL is named by
    the settings in any case.
    """
    found: dict[str, Sequence[str]] = {}
    if (chroma := Path(sys.executable).with_name("chroma")).exists():
        place = settings.get("STEWARD_CHROMA_URL", "").rpartition(":")
        if place[0] in ("", "http://127.0.0.1"):
            own = ("--path", str(folder / "chroma"), "--port", place[2] or "8000")
            found["chroma"] = (str(chroma), "run", "--host", "127.0.0.1", *own)
    if caddy := shutil.which("caddy"):
        config = folder / "Caddyfile"
        public = settings.get("STEWARD_WEB_PUBLIC_URL", "http://127.0.0.1:8080")
        config.write_text(_PROXY % (public, settings.get("STEWARD_WEB_PORT", "8787")))
        found["proxy"] = (caddy, "run", "--config", str(config), "--adapter", "caddyfile")
    return found


async def run(folder: Path) -> None:
    """Runs all of them until cancelled; each that ends is started again."""
    own, others = homes(folder), beside(folder, os.environ)
    settings = dict(os.environ)
    if "chroma" in others:
        settings.setdefault("STEWARD_CHROMA_URL", "http://127.0.0.1:8000")
    if "proxy" in others:
        settings.setdefault("STEWARD_WEB_PUBLIC_URL", "http://127.0.0.1:8080")
    for left_out in {"chroma", "proxy"} - {*others}:
        sys.stderr.write(f"without {left_out}: it is not on this machine\n")
    async with asyncio.TaskGroup() as group:
        for name, command in others.items():
            group.create_task(_kept(command, {**settings, "HOME": str(folder)}), name=name)
        for name, arguments in commands().items():
            command = (sys.executable, "-m", "bot", *arguments)
            group.create_task(_kept(command, {**settings, **own[name]}), name=name)


async def _kept(command: Sequence[str], settings: Mapping[str, str]) -> None:
    while True:
        process = await asyncio.create_subprocess_exec(
            *command, env=settings, stdin=asyncio.subprocess.DEVNULL
        )
        try:
            await process.wait()
        except asyncio.CancelledError:
            with suppress(ProcessLookupError):
                process.terminate()
            await process.wait()
            raise
        await asyncio.sleep(1)


async def _until_told(folder: Path) -> None:
    running = asyncio.ensure_future(run(folder))
    for each in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(each, running.cancel)
    with suppress(asyncio.CancelledError):
        await running


if __name__ == "__main__":
    asyncio.run(_until_told(Path(sys.argv[1])))
