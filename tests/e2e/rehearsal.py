"""A turn that the fork server itself runs, so that no start of a test pays for a first turn."""

import shutil
from pathlib import Path

from tests.e2e.launching import ForkServer
from tests.e2e.platforms import ON_PLATFORMS
from tests.e2e.steward import KEY
from tests.standins.messages_api import MessagesApi, calls, text, tool
from tests.words import APPROVE, APPROVED

_WRITE = tool("write_file", {"path": "a.md", "content": "# A\n"})


async def rehearsed(forks: ForkServer, empty_database: Path, folder: Path) -> None:
    """Has the server run a turn with a read and a change on each platform, and end orderly."""
    for platform, serving in ON_PLATFORMS.items():
        stage = folder / platform
        async with serving(stage, MessagesApi(api_key=KEY), forks.rehearse) as steward:
            shutil.copy(empty_database, steward.home)
            await steward.start()
            steward.script(calls(tool("list_files", {}), _WRITE), text("It is there."))
            steward.say("Write it")
            await steward.counted(steward.press(await steward.card(), APPROVE), APPROVED)
            await steward.sees("It is there.")
            await steward.recorded()
            await steward.stop()
