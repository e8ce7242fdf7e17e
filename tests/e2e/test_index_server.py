"""Memory by meaning on a Chroma server of its own, which goes away and comes back."""

import asyncio
import sys
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path

import httpx
import pytest

from bot.adapters.chroma.vectors import ChromaVectors
from tests.e2e.launching import surroundings
from tests.e2e.records import ServerRecords
from tests.e2e.steward import Steward, words_in
from tests.fakes.embedder import embedded
from tests.lacking import THOROUGH
from tests.ports import free_port
from tests.standins.embeddings import Embeddings, settings_for
from tests.standins.messages_api import text
from tests.standins.serving import serving
from tests.words import EVERYTHING_HOLDS

pytestmark = pytest.mark.flows_own("the index of meaning knows no platform")

pytest.importorskip("chromadb")
CAR = "The automobile of the physician is here."


@dataclass
class Server:
    """A real Chroma server below a folder; the same port each time."""

    folder: Path
    port: int = field(default_factory=free_port)
    process: asyncio.subprocess.Process | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    async def start(self) -> None:
        """Starts it, and waits until it answers."""
        chroma = Path(sys.executable).with_name("chroma")
        self.process = await asyncio.create_subprocess_exec(
            *(chroma, "run", "--path", self.folder, "--port", str(self.port)),
            cwd=self.folder.parent,
            env=surroundings() | {"HOME": str(self.folder)},
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.DEVNULL,
        )
        async with httpx.AsyncClient() as client:
            while not await self._answers(client):
                assert self.process.returncode is None, "the server ended"
                # Nobody tells when another process begins to listen.
                await asyncio.sleep(0.05)

    async def kill(self) -> None:
        if self.process is not None:
            self.process.kill()
            await self.process.wait()
            self.process = None

    async def vectors(self) -> int:
        """Returns the number of vectors in all its collections, each of which has a probe too."""
        below = f"{self.url}/api/v2/tenants/default_tenant/databases/default_database/collections"
        async with httpx.AsyncClient() as client:
            found = (await client.get(below)).json()
            counts = [(await client.get(f"{below}/{one['id']}/count")).json() for one in found]
        return sum(max(count - 1, 0) for count in counts)

    async def _answers(self, client: httpx.AsyncClient) -> bool:
        try:
            return (await client.get(f"{self.url}/api/v2/heartbeat")).status_code == 200
        except httpx.HTTPError:
            return False


@pytest.fixture
async def server(steward: Steward) -> AsyncIterator[Server]:
    one = Server(steward.folder / "chroma")
    one.folder.mkdir()
    await one.start()
    try:
        yield one
    finally:
        await one.kill()


@pytest.fixture
async def embeddings(steward: Steward, server: Server) -> AsyncIterator[Embeddings]:
    embedder = Embeddings()
    async with serving(embedder.app) as url:
        steward.settings |= {
            **settings_for(url),
            "STEWARD_CHROMA_URL": server.url,
        }
        yield embedder


def meant(steward: Steward, count: int) -> bool:
    found = steward.records.rows("SELECT count(*), count(*) FILTER (WHERE meant) FROM passage")
    return found == [(count, count)]


async def test_an_index_server_that_goes_away_costs_no_answer_and_gets_what_it_missed(
    steward: Steward, server: Server, embeddings: Embeddings
) -> None:
    steward.foreseen.append("words alone")
    steward.script(text(CAR), text("Below it."), text("At the station."))
    await steward.start()
    steward.say("Remember the place")
    await steward.sees(CAR)
    await steward.eventually(lambda: meant(steward, 1))
    assert await server.vectors() == 1
    await server.kill()
    steward.say("/new")
    await steward.sees("fresh start")
    steward.say("the automobile of the physician")
    await steward.sees("Below it.")
    assert CAR in words_in(steward.model.requests[-1]), "the words serve alone"
    await steward.eventually(lambda: "words alone" in steward.output)
    steward.say("/status")
    await steward.sees("by words alone")
    assert not meant(steward, 2)
    await server.start()
    await steward.eventually(lambda: meant(steward, 2), 40)
    assert await server.vectors() == 2
    steward.say("/new")
    await steward.sees("fresh start", times=2)
    steward.say("Auto, Arzt?")
    await steward.sees("At the station.")
    assert CAR in words_in(steward.model.requests[-1]), "it is found by its meaning again"
    await steward.eventually(lambda: meant(steward, 3))


async def test_an_index_server_that_lost_its_folder_gets_everything_anew(
    steward: Steward, server: Server, embeddings: Embeddings
) -> None:
    steward.foreseen.extend(["words alone", "made anew"])
    steward.script(text(CAR), text("Yes."))
    await steward.start()
    steward.say("Remember the place")
    await steward.sees(CAR)
    await steward.eventually(lambda: meant(steward, 1))
    await server.kill()
    server.folder = steward.folder / "empty"
    server.folder.mkdir()
    await server.start()
    steward.say("Is it cold?")
    await steward.sees("Yes.")
    await steward.eventually(lambda: meant(steward, 2), 40)
    assert await server.vectors() == 2


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def database(request: pytest.FixtureRequest) -> str | None:
    """The address of a database that is gone after the steward; None for the one in its folder."""
    return request.getfixturevalue("own_postgres_url") if request.param == "postgres" else None


async def test_verify_proves_the_index_on_a_server_and_makes_it_anew(
    database: str | None, steward: Steward, server: Server, embeddings: Embeddings
) -> None:
    if database is not None:
        steward.records = ServerRecords(database)
        steward.settings["STEWARD_DATABASE_URL"] = database

    async def verified(*fix: str) -> tuple[int, str]:
        return await steward.printed_by("verify", *fix)

    steward.script(text(CAR))
    await steward.start()
    steward.say("Remember the place")
    await steward.sees(CAR)
    await steward.eventually(lambda: meant(steward, 1))
    code, told = await verified()
    assert (code, EVERYTHING_HOLDS in told) == (0, True), told
    await steward.stop()
    ((number, whose),) = steward.records.rows("SELECT number, whose FROM passage")
    foreign = embedded("of nobody", len(embedded(CAR)))
    ways = (
        (lambda index: index.remove(whose, [number]), "does not have an answer: 1."),
        (lambda index: index.put(whose, [(99, foreign)]), "has an answer that is gone: 99."),
        (None, "is gone or broken"),
    )
    # The ways of the index are the same beside each database, and each takes four commands.
    for break_it, words in ways if database is None or THOROUGH else ways[:1]:
        if break_it is None:
            await server.kill()
            server.folder = steward.folder / "empty"
            server.folder.mkdir()
            await server.start()
        else:
            index = ChromaVectors(steward.home / "meaning", server.url, steward.home)
            ((name,),) = steward.records.rows("SELECT name FROM meaning")
            assert await index.open(name)
            await break_it(index)
            await index.close()
        code, told = await verified()
        assert (code, words in told) == (1, True), told
        code, told = await verified("--fix")
        assert (code, EVERYTHING_HOLDS in told) == (0, True), told
        assert await server.vectors() == 1
    await server.kill()
    code, told = await verified()
    not_looked = "The index of meaning was not looked at: the index server failed"
    assert (code, not_looked in told) == (0, True), told
