"""What every index of meaning does: the one in memory, and Chroma in a folder and on a server."""

import asyncio
import os
import shutil
import socket
import sqlite3
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import closing
from importlib.util import find_spec
from pathlib import Path
from random import Random

import psutil
import pytest

from bot.adapters.chroma.vectors import ChromaVectors
from bot.domain.memory.meaning import Vector, nearness, unit
from bot.domain.talk.errors import VectorsAway, VectorsLost
from bot.ports.meaning import Vectors
from tests.fakes.embedder import embedded
from tests.fakes.vectors import FakeVectors
from tests.patience import PATIENCE
from tests.ports import free_port
from tests.vector_traces import holding, traces_of

if find_spec("chromadb") is None:
    pytest.skip("could not import 'chromadb'", allow_module_level=True)


def vector(number: int, size: int = 100) -> Vector:
    return embedded(f"thing{number} is on shelf{number}", size)


@pytest.fixture(scope="module")
def server_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A Chroma server of its own process."""
    port, folder = free_port(), tmp_path_factory.mktemp("server")
    code = "from chromadb.cli.cli import app; app()"
    process = subprocess.Popen(
        [
            *(sys.executable, "-c", code, "run", "--host", "127.0.0.1"),
            *("--port", str(port), "--path", str(folder)),
        ],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "ANONYMIZED_TELEMETRY": "False"},
    )
    try:
        ends = time.monotonic() + PATIENCE
        while not _listens(port):
            assert time.monotonic() < ends, "the server never listened"
            # Nobody tells when another process listens.
            time.sleep(0.1)
        yield f"http://127.0.0.1:{port}"
    finally:
        process.kill()
        process.wait()


def _listens(port: int) -> bool:
    with closing(socket.socket()) as found:
        return found.connect_ex(("127.0.0.1", port)) == 0


@pytest.fixture(autouse=True)
def forked(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Forks the child instead of starting it, except where a test meets it between two steps."""
    if request.node.get_closest_marker("starts_anew") is None:
        monkeypatch.setattr(sys, "executable", request.getfixturevalue("chroma_interpreter"))


@pytest.fixture(params=["memory", "folder", "server"])
async def vectors(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Vectors]:
    if request.param == "memory":
        yield FakeVectors()
        return
    url = request.getfixturevalue("server_url") if request.param == "server" else None
    found = ChromaVectors(tmp_path / "meaning", url, tmp_path)
    yield found
    await found.close()


async def test_an_index_is_made_filled_searched_and_emptied(vectors: Vectors) -> None:
    assert not await vectors.open("one")
    await vectors.make("one")
    await vectors.put("p1", [(n, vector(n)) for n in range(20)])
    await vectors.put("p1", [(n, vector(n)) for n in range(20)])
    await vectors.put("p2", [(50, vector(3))])
    found = await vectors.nearest("p1", vector(3), 5)
    assert len(found) == 5
    assert found[0][0] == 3
    assert found[0][1] == pytest.approx(1, abs=0.001)
    assert [number for number, _ in await vectors.nearest("p2", vector(3), 5)] == [50]
    assert list(await vectors.nearest("p3", vector(3), 5)) == []
    await vectors.remove("p1", [3, 99])
    await vectors.remove("p9", [3])
    numbers = [number for number, _ in await vectors.nearest("p1", vector(3), 50)]
    assert sorted(numbers) == [n for n in range(20) if n != 3]
    assert await vectors.open("one")
    assert len(await vectors.nearest("p1", vector(3), 50)) == 19
    await vectors.make("two")
    assert list(await vectors.nearest("p1", vector(3), 5)) == []
    assert not await vectors.open("one")


@pytest.mark.parametrize("size", [8, 64, 65, 384, 1_536])
async def test_the_nearest_are_told_with_their_true_nearness_whatever_their_size(
    vectors: Vectors, size: int
) -> None:
    # Vectors of few numbers that are not zero may be out of a graph's reach.
    random = Random(size)
    held = {n: unit([random.gauss(0, 1) for _ in range(size)]) for n in range(300)}
    await vectors.make("one")
    await vectors.put("p1", list(held.items()))
    for n in (0, 77, 299):
        asked = unit([0.8 * each + 0.3 * random.gauss(0, 1) / size**0.5 for each in held[n]])
        found = await vectors.nearest("p1", asked, 24)
        assert len(found) == 24
        assert found[0][0] == max(held, key=lambda each: nearness(asked, held[each]))
        # The others may differ: a graph does not find everything.
        for number, near in found:
            assert near == pytest.approx(nearness(asked, held[number]), abs=0.01)


async def test_a_passage_that_moved_is_found_by_its_new_owner_alone(vectors: Vectors) -> None:
    await vectors.make("one")
    await vectors.put("p1", [(1, vector(1)), (2, vector(2))])
    await vectors.put("g1", [(1, vector(1))])
    await vectors.remove("p1", [1])
    assert [number for number, _ in await vectors.nearest("p1", vector(1), 5)] == [2]
    assert [number for number, _ in await vectors.nearest("g1", vector(1), 5)] == [1]
    assert await vectors.open("one")
    assert [number for number, _ in await vectors.nearest("g1", vector(1), 5)] == [1]


async def test_one_process_owns_a_folder_and_others_look_at_a_copy(tmp_path: Path) -> None:
    folder = tmp_path / "meaning"
    owner, other = ChromaVectors(folder), ChromaVectors(folder)
    look = ChromaVectors(folder, look=True)
    try:
        await owner.make("one")
        await owner.put("p1", [(1, vector(1))])
        with pytest.raises(VectorsAway, match="another process"):
            await other.open("one")
        assert await look.open("one")
        assert [n for n, _ in await look.nearest("p1", vector(1), 1)] == [1]
    finally:
        for each in (owner, other, look):
            await each.close()


async def test_a_damaged_graph_is_found_when_it_is_opened(tmp_path: Path) -> None:
    folder = tmp_path / "meaning"
    owner = ChromaVectors(folder)
    await owner.make("one")
    for n in range(0, 1_200, 200):
        await owner.put("p1", [(number, vector(number)) for number in range(n, n + 200)])
    await owner.close()
    (graph,) = folder.rglob("data_level0.bin")
    graph.write_bytes(os.urandom(graph.stat().st_size))
    try:
        assert not await owner.open("one")
        await owner.make("two")
        assert await owner.open("two")
    finally:
        await owner.close()


@pytest.mark.parametrize("harm", ["gone", "noise", "emptied", "another", "of others"])
async def test_a_damaged_folder_is_found_when_it_is_opened(tmp_path: Path, harm: str) -> None:
    folder = tmp_path / "meaning"
    owner = ChromaVectors(folder)
    try:
        await owner.make("one")
        await owner.put("p1", [(number, vector(number)) for number in range(50)])
        await owner.close()
        assert await owner.open("one")
        await owner.close()
        (file,) = folder.rglob("chroma.sqlite3")
        match harm:
            case "gone":
                shutil.rmtree(file.parent)
            case "noise":
                file.write_bytes(os.urandom(file.stat().st_size))
            case "emptied":
                file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])
            case "another":
                folder.joinpath("one", "made-2").unlink()
            case _:
                changed(file, "UPDATE embeddings_queue SET vector = randomblob(length(vector))")
        assert not await owner.open("one")
        await owner.make("two")
        assert await owner.open("two")
    finally:
        await owner.close()


async def test_more_owners_than_folders_are_open_at_once(tmp_path: Path) -> None:
    owner = ChromaVectors(tmp_path / "meaning")
    try:
        await owner.make("one")
        for n in range(20):
            await owner.put(f"p{n}", [(n, vector(n)), (n + 100, vector(n + 100))])
        await owner.remove("p0", [100])
        assert len(await owner.held()) == 39
        for n in range(20):
            assert [number for number, _ in await owner.nearest(f"p{n}", vector(n), 1)] == [n]
        assert await owner.open("one")
        assert len(await owner.held()) == 39
    finally:
        await owner.close()


async def test_an_index_by_an_earlier_version_is_not_there(
    tmp_path: Path,
) -> None:
    folder = tmp_path / "meaning"
    cosine = {"configuration": {"hnsw": {"space": "cosine"}}, "embedding_function": None}
    code = (
        "import chromadb, sys\n"
        "from chromadb.config import Settings\n"
        "quiet = Settings(anonymized_telemetry=False)\n"
        "c = chromadb.PersistentClient(sys.argv[1], settings=quiet)\n"
        f"made = dict(metadata={{'whole': 1}}, **{cosine!r})\n"
        "c.get_or_create_collection('steward-one-mark', **made)\n"
        "held = c.get_or_create_collection('steward-one-p1-0', **made)\n"
        "held.upsert(ids=['1'], embeddings=[[0.1] * 384])\n"
    )
    await asyncio.to_thread(
        subprocess.run, [sys.executable, "-c", code, str(folder)], check=True, timeout=PATIENCE
    )
    owner = ChromaVectors(folder)
    try:
        assert not await owner.open("one")
        await owner.make("two")
        await owner.put("p1", [(1, vector(1))])
        assert len(await owner.held()) == 1
    finally:
        await owner.close()


def changed(file: Path, statement: str) -> None:
    with closing(sqlite3.connect(file)) as database, database:
        database.execute(statement)


@pytest.mark.starts_anew
async def test_a_death_while_vectors_are_taken_out_leaves_none_of_them_in_the_files(
    tmp_path: Path,
) -> None:
    folder, gone = tmp_path / "meaning", 0
    owner = ChromaVectors(folder)
    try:
        await owner.make("one")
        for n in range(0, 800, 200):
            await owner.put("p1", [(number, vector(number)) for number in range(n, n + 200)])
        assert holding(folder, traces_of(vector(gone)))
        leaving = asyncio.create_task(owner.remove("p1", [gone]))
        while not await killed_half_way(folder, leaving):
            # A busy machine showed us nothing between two steps of it.
            await leaving
            gone += 1
            assert gone < 20, "the child was never met between two steps"
            leaving = asyncio.create_task(owner.remove("p1", [gone]))
        with pytest.raises(VectorsAway):
            await leaving
        assert generations(folder) == 2, "dies between two steps"
        assert await owner.open("one")
        assert generations(folder) == 1
        # It is still owed: nobody noted that it is gone.
        await owner.remove("p1", [gone])
        assert len(await owner.held()) == 799 - gone
        found = [number for number, _ in await owner.nearest("p1", vector(gone), 3)]
        assert gone not in found
    finally:
        await owner.close()
    assert holding(folder, traces_of(vector(gone))) == []


async def killed_half_way(folder: Path, leaving: asyncio.Task[None]) -> bool:
    """Kills the child as soon as the vectors that stay are being written anew.

    Returns False when they were written before anybody saw it.
    """
    ours = psutil.Process().children()
    (child,) = [one for one in ours if "bot.adapters.chroma.child" in one.cmdline()]

    def kill() -> bool:
        while generations(folder) < 2:
            if leaving.done():
                return False
            # Nobody tells when another process has written.
            time.sleep(0.001)
        child.kill()
        child.wait(10)
        return True

    return await asyncio.to_thread(kill)


def generations(folder: Path) -> int:
    """Returns how many folders the owner has."""
    return len(list(folder.glob("one/p1-*")))


async def test_a_server_that_is_away_loses_nothing(tmp_path: Path) -> None:
    away = ChromaVectors(tmp_path / "meaning", f"http://127.0.0.1:{free_port()}", tmp_path)
    with pytest.raises(VectorsAway):
        await away.open("one")
    await away.close()


async def test_a_search_in_an_index_that_was_never_opened_is_a_fault(tmp_path: Path) -> None:
    vectors = ChromaVectors(tmp_path / "meaning")
    with pytest.raises((VectorsAway, VectorsLost)):
        await vectors.nearest("p1", vector(1), 1)
    await vectors.close()
