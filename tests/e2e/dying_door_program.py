"""The program that dies once between the storing of a hook's call and the 202 for it."""

import os
import signal
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bot.__main__ import main
from bot.adapters.hook_door.door import HookDoor

DEATH_FILE = "STEWARD_TEST_DEATH_FILE"


def start() -> None:
    fate, taken = Path(os.environ[DEATH_FILE]), HookDoor._taken

    def die() -> None:
        if fate.exists():
            fate.unlink()
            os.kill(os.getpid(), signal.SIGKILL)

    async def dying(door: HookDoor, name: str, headers: Mapping[str, str], body: bytes) -> Any:
        reply = await taken(door, name, headers, body)
        die()
        return reply

    HookDoor._taken = dying  # pyright: ignore[reportAttributeAccessIssue]
    main()


if __name__ == "__main__":
    start()
