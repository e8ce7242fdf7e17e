"""The processes of docker-compose.yml's profile `grown` serve people together."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress

import httpx
import pytest

from tests.e2e.browser import LINK, browser
from tests.e2e.grown import commands, homes, services
from tests.e2e.launching import Process
from tests.e2e.records import ServerRecords
from tests.e2e.steward import Steward
from tests.patience import PATIENCE
from tests.ports import free_port
from tests.standins.messages_api import text

pytestmark = pytest.mark.timeout(300)

Processes = dict[str, Process]


@pytest.fixture
async def grown(own_postgres_url: str, steward: Steward) -> AsyncIterator[Processes]:
    """Every process of the profile; that which polls is the steward itself."""
    steward.records = ServerRecords(own_postgres_url)
    own = homes(steward.folder)
    steward.settings |= {
        "STEWARD_DATABASE_URL": own_postgres_url,
        "STEWARD_WORKSPACE": str(steward.workspace),
        "STEWARD_WEB_PORT": str(free_port()),
    }
    others: Processes = {}
    try:
        await steward.start(STEWARD_ROLE="receive")
        for name, arguments in commands().items():
            if name != "receive":
                one = {"STEWARD_HOME": own[name]["STEWARD_HOME"]}
                others[name] = await steward.launched(*arguments, **one)
        yield others
    finally:
        for process in others.values():
            with suppress(ProcessLookupError):
                process.kill()
            await process.wait()


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
async def test_the_processes_of_the_profile_answer_on_the_platform_and_on_the_page(
    grown: Processes, steward: Steward
) -> None:
    steward.script(text("The parrot is green."))
    steward.say("What colour has the parrot?")
    await steward.sees("The parrot is green.")
    page = f"http://127.0.0.1:{steward.settings['STEWARD_WEB_PORT']}/"
    async with asyncio.timeout(PATIENCE), httpx.AsyncClient() as client:
        while True:
            with suppress(httpx.TransportError):
                if (await client.get(page, follow_redirects=True)).status_code < 500:
                    break
            await asyncio.sleep(0.2)
    steward.script(text("I read it."))
    steward.say("/login")
    link = LINK.search((await steward.sees("Open this link in your browser")).text)
    assert link is not None
    async with browser(link[1]) as ann:
        await ann.enter(link[2])
        home = await ann.home()
        form = next(one for one in await ann.forms(home) if one.action.endswith("/say"))
        fields = {**form.fields, "text": "What is in it?"}
        files = [("file", ("notes.txt", b"remember the milk", "text/plain"))]
        assert (await ann.post(form.action, fields, files=files)).is_redirect
        await ann.sees("I read it.", home)
    # The file lies in the home of the process that took it, and a worker has another home.
    assert "remember the milk" in str(steward.model.requests[-1].body)
    for name in ("work1", "deliver", "web", "work2"):
        grown[name].terminate()
        assert await grown[name].wait() == 0, name
    await steward.recorded()
