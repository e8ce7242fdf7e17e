"""The processes of docker-compose.yml's profile `grown` serve people together."""

import asyncio
import shutil
import sys
from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path

import httpx
import psutil
import pytest

from tests.e2e.browser import LINK, browser
from tests.e2e.grown import ROOT, commands, services
from tests.e2e.launching import surroundings
from tests.e2e.records import ServerRecords
from tests.e2e.steward import Steward
from tests.lacking import missing
from tests.patience import PATIENCE
from tests.ports import free_port
from tests.processes import outlived
from tests.standins.messages_api import text

pytestmark = pytest.mark.timeout(300)


class Grown:
    """The script that starts every process of the profile, and what it has started."""

    def __init__(self, script: asyncio.subprocess.Process) -> None:
        self.script = script

    def process(self, *words: str) -> psutil.Process | None:
        """Returns the one whose command has these words, if it runs."""
        return next((one for one in self.all() if {*words} <= {*_command(one)}), None)

    def all(self) -> list[psutil.Process]:
        return psutil.Process(self.script.pid).children()


def _command(process: psutil.Process) -> list[str]:
    with suppress(psutil.NoSuchProcess, psutil.ZombieProcess):
        return [Path(word).name for word in process.cmdline()]
    return []


@pytest.fixture
async def grown(own_postgres_url: str, steward: Steward) -> AsyncIterator[Grown]:
    """The script at work, with nobody else at this database."""
    pytest.importorskip("chromadb")
    if shutil.which("caddy") is None:
        missing("no caddy", "apt-get install caddy")
    steward.records = ServerRecords(own_postgres_url)
    steward.settings |= {
        "STEWARD_DATABASE_URL": own_postgres_url,
        "STEWARD_WEB_PORT": str(free_port()),
        "STEWARD_WEB_PUBLIC_URL": f"http://127.0.0.1:{free_port()}",
        "STEWARD_CHROMA_URL": f"http://127.0.0.1:{free_port()}",
    }
    with (steward.folder / "grown.txt").open("wb") as log:
        script = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "tests.e2e.grown", str(steward.folder)),
            cwd=ROOT,
            env=surroundings(steward.folder) | steward.settings,
            stdout=log,
            stderr=log,
        )
    started = Grown(script)
    try:
        yield started
    finally:
        left = [] if script.returncode is not None else started.all()
        with suppress(ProcessLookupError):
            script.kill()
        for process in left:
            with suppress(psutil.NoSuchProcess):
                process.kill()
        await script.wait()


def test_the_profile_has_every_role_and_what_the_roles_need() -> None:
    named = {word for arguments in commands().values() for word in arguments}
    assert {"receive", "work", "deliver", "schedule", "web"} <= named
    assert sum("work" in arguments for arguments in commands().values()) == 2
    assert {"postgres", "chroma", "proxy"} <= {*services()}
    places = [
        service["environment"]["STEWARD_HOME"]
        for service in services().values()
        if service.get("image") == "steward"
    ]
    assert len(places) == len({*places}), "a home belongs to one process"


@pytest.mark.postgres
@pytest.mark.telegrams_own("who polls, and who sends, is the same question on each platform")
async def test_the_script_starts_the_profile_which_answers_on_the_platform_and_behind_its_proxy(
    grown: Grown, steward: Steward
) -> None:
    steward.script(text("The parrot is green."))
    steward.say("What colour has the parrot?")
    await steward.sees("The parrot is green.")
    # What is killed is started again, and meanwhile another one works.
    killed = grown.process("--role", "work")
    assert killed is not None
    killed.kill()
    steward.script(text("The ladder is red."))
    steward.say("What colour has the ladder?")
    await steward.sees("The ladder is red.")
    # Five of Steward, the server of the index and the proxy.
    await steward.eventually(lambda: len(grown.all()) == 7)
    assert killed not in grown.all()
    public = steward.settings["STEWARD_WEB_PUBLIC_URL"]
    await answers(f"{public}/")
    await answers(f"{steward.settings['STEWARD_CHROMA_URL']}/api/v2/heartbeat")
    steward.script(text("I read it."))
    steward.say("/login")
    link = LINK.search((await steward.sees("Open this link in your browser")).text)
    assert link is not None
    assert link[1] == public
    async with browser(link[1]) as ann:
        entered = await ann.enter(link[2])
        assert entered.status_code == 303, entered.text
        home = await ann.home()
        form = next(one for one in await ann.forms(home) if one.action.endswith("/say"))
        fields = {**form.fields, "text": "What is in it?"}
        files = [("file", ("notes.txt", b"remember the milk", "text/plain"))]
        assert (await ann.post(form.action, fields, files=files)).is_redirect
        await ann.sees("I read it.", home)
    # The file lies in the home of the process that took it, and a worker has another home.
    assert "remember the milk" in str(steward.model.requests[-1].body)
    await steward.recorded()
    all_of_it = grown.all()
    grown.script.terminate()
    async with asyncio.timeout(PATIENCE):
        assert await grown.script.wait() == 0
    assert outlived(all_of_it) == []


async def answers(address: str) -> None:
    """Wait until a server answers there."""
    async with asyncio.timeout(PATIENCE), httpx.AsyncClient() as client:
        while True:
            with suppress(httpx.TransportError):
                if (await client.get(address, follow_redirects=True)).status_code < 500:
                    return
            await asyncio.sleep(0.2)
