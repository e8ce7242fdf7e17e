"""Memory by meaning in the whole program, with the real Chroma and a strict embedding server."""

import asyncio
import json
import os
import shutil
import sqlite3
import subprocess
from collections.abc import AsyncIterator, Callable
from contextlib import closing, suppress
from pathlib import Path

import psutil
import pytest

from bot.adapters.chroma.vectors import ChromaVectors
from bot.domain.memory.meaning import STRANGE_TEXTS
from tests.e2e.fork_server import INTERPRETER
from tests.e2e.launching import ForkServer
from tests.e2e.steward import Steward, words_in
from tests.fakes.embedder import embedded
from tests.patience import PATIENCE
from tests.standins.embeddings import KEY, MODEL, Embeddings, settings_for
from tests.standins.messages_api import text
from tests.standins.serving import serving
from tests.vector_traces import holding, traces_of
from tests.words import EMBEDDER_REFUSES, EVERYTHING_HOLDS, FOUND_BY_WORDS

pytestmark = pytest.mark.flows_own("the index of meaning knows no platform")

pytest.importorskip("chromadb")
Counting = Callable[[Steward], int]
CAR = "The automobile of the physician is here."


@pytest.fixture
async def embeddings(steward: Steward, chroma_interpreter: str) -> AsyncIterator[Embeddings]:
    """An embedding server that the settings of the program name."""
    server = Embeddings()
    async with serving(server.app) as url:
        steward.settings |= settings_for(url) | {INTERPRETER: chroma_interpreter}
        yield server


def meant(steward: Steward, count: int) -> bool:
    """Returns True when there are so many passages, and the index of meaning has them all."""
    told = "SELECT count(*), count(*) FILTER (WHERE meant) FROM passage"
    left = "SELECT count(*) FROM leaving"
    return steward.records.rows(told) == [(count, count)] and steward.records.rows(left) == [(0,)]


async def memory(steward: Steward, *arguments: str) -> tuple[int, str]:
    return await steward.printed_by("memory", *arguments)


async def ids(steward: Steward, *words: str) -> list[tuple[str, list[str]]]:
    _, told = await memory(steward, "search", *words, "--json")
    lines = [json.loads(line) for line in told.splitlines() if line.startswith("{")]
    return [(line["id"], line["found_by"]) for line in lines]


def imported(steward: Steward, count: int) -> Path:
    """Returns a file of so many answers, each about a word of its own."""
    file = steward.folder / "old.jsonl"
    line = {"at": "2025-05-04T10:00:00Z", "answer": "Noted."}
    rows = [
        {**line, "id": str(n), "question": f"thing{n} belongs to shelf{n}"} for n in range(count)
    ]
    file.write_text("\n".join(map(json.dumps, rows)) + "\n")
    return file


@pytest.fixture
def vectors_in(chroma_forks: ForkServer) -> Counting:
    """The number of vectors that Chroma itself holds; each folder has one of its own."""

    def found(steward: Steward) -> int:
        folders = {str(file.parent) for file in steward.home.rglob("chroma.sqlite3")}
        command = chroma_forks.command(*folders, module="tests.vector_traces")
        done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=PATIENCE)
        return int(done.stdout)

    return found


def counted(steward: Steward) -> int:
    """Returns the tokens of embedding calls that are on record."""
    return steward.records.rows("SELECT sum(input) FROM usage WHERE kind = 'embedding'")[0][0]


def children(steward: Steward) -> list[psutil.Process]:
    found = psutil.Process(steward.pid).children(recursive=True)
    return [one for one in found if "bot.adapters.chroma.child" in " ".join(one.cmdline())]


async def remembered(steward: Steward, answer: str = CAR) -> None:
    """Lets an answer be given and indexed by its meaning."""
    steward.script(text(answer))
    await steward.start()
    steward.say("Remember the place")
    await steward.sees(answer)
    await steward.eventually(lambda: meant(steward, 1))


async def status_tells(steward: Steward, words: str) -> None:
    """Asks for the status until it says so: the index may not be open yet."""
    async with asyncio.timeout(PATIENCE):
        while True:
            before = len(steward.showing("Memory: "))
            steward.say("/status")
            if words in (await steward.sees("Memory: ", before + 1)).text:
                return


async def test_an_answer_comes_back_for_other_words_of_its_meaning(
    steward: Steward, embeddings: Embeddings
) -> None:
    await remembered(steward)
    assert len(children(steward)) == 1
    await steward.restart()
    steward.script(text("At the station."))
    steward.say("/new")
    await steward.sees("fresh start")
    assert [by for _, by in await ids(steward, "coche")] == [["meaning"]]
    await steward.eventually(lambda: bool(children(steward)))
    await status_tells(steward, "Memory: I can look up 1 answer, found by words and by meaning")
    steward.say("Auto, Arzt?")
    await steward.sees("At the station.")
    assert CAR in words_in(steward.model.requests[-1])
    assert KEY not in steward.output
    await steward.eventually(lambda: meant(steward, 2))
    assert counted(steward) == sum(embeddings.tokens)
    steward.say("/usage")
    assert MODEL in (await steward.sees("Usage of all chats")).text


async def test_verify_proves_the_index_of_meaning_and_makes_it_anew(
    steward: Steward, embeddings: Embeddings, vectors_in: Counting
) -> None:
    async def verified(*fix: str) -> tuple[int, str]:
        return await steward.printed_by("verify", *fix)

    await remembered(steward)
    code, told = await verified()
    assert (code, EVERYTHING_HOLDS in told) == (0, True), told
    await steward.stop()
    folder = steward.home / "meaning"
    ((number, whose),) = steward.records.rows("SELECT number, whose FROM passage")
    foreign = embedded("of nobody", len(embedded(CAR)))
    for break_it, words in (
        (lambda index: index.remove(whose, [number]), "does not have an answer: 1."),
        (lambda index: index.put(whose, [(99, foreign)]), "has an answer that is gone: 99."),
        (lambda index: index.put("p9", [(number, foreign)]), "has an answer that is gone: 1."),
        (None, "is gone or broken"),
    ):
        if break_it is None:
            shutil.rmtree(folder)
        else:
            index = ChromaVectors(folder)
            ((name,),) = steward.records.rows("SELECT name FROM meaning")
            assert await index.open(name)
            await break_it(index)
            await index.close()
        code, told = await verified()
        assert (code, told.count("fault"), words in told) == (1, 1, True), told
        code, told = await verified("--fix")
        assert (code, words in told, EVERYTHING_HOLDS in told) == (0, True, True), told
        assert vectors_in(steward) == 1
    embeddings.fate = "down"
    shutil.rmtree(folder)
    code, told = await verified("--fix")
    assert (code, "They follow later" in told) == (0, True), told
    embeddings.fate = ""
    await steward.start()
    await steward.eventually(lambda: meant(steward, 1))
    code, told = await verified()
    assert (code, EVERYTHING_HOLDS in told) == (0, True), told


async def test_without_an_embedder_nothing_is_loaded_and_an_old_index_goes(
    steward: Steward, embeddings: Embeddings
) -> None:
    await remembered(steward)
    await steward.kill()
    del steward.settings["STEWARD_EMBED_MODEL"]
    await steward.start()
    await steward.eventually(lambda: not (steward.home / "meaning").exists())
    assert children(steward) == []


@pytest.mark.parametrize(
    "fate", ["down", "drop", "huge", "html", "held", "nan", "overflow", "fewer"]
)
async def test_a_failing_embedder_costs_no_answer(
    steward: Steward, embeddings: Embeddings, fate: str
) -> None:
    steward.foreseen.append("words alone")
    embeddings.fate = fate
    steward.script(text(CAR), text("Below it."))
    await steward.start()
    steward.say("Where is the car?")
    await steward.sees(CAR)
    steward.say("/new")
    await steward.sees("fresh start")
    steward.say("the automobile of the physician")
    await steward.sees("Below it.")
    assert CAR in words_in(steward.model.requests[-1])
    embeddings.fate = ""
    embeddings.released.set()
    await steward.eventually(lambda: meant(steward, 2), 40)


@pytest.mark.parametrize("fate", ["nan", "refuse"])
async def test_an_embedder_that_falls_ill_gets_every_answer_when_it_is_well_again(
    steward: Steward,
    embeddings: Embeddings,
    vectors_in: Counting,
    fate: str,
) -> None:
    steward.foreseen.append("words alone")
    await remembered(steward)
    embeddings.fate = fate
    steward.script(text("The ladder is green."))
    steward.say("Remember the ladder")
    await steward.sees("The ladder is green.")

    def tried() -> int:
        return sum(
            len(each) == 1 and "The ladder is green." in each[0] for each in embeddings.asked
        )

    # Given up after one attempt, or owed and tried again.
    await steward.eventually(lambda: tried() > 1 or meant(steward, 2))
    embeddings.fate = ""
    await steward.eventually(lambda: meant(steward, 2), 40)
    await steward.stop()
    assert vectors_in(steward) == 2


async def test_a_deleted_index_is_made_anew_while_it_runs(
    steward: Steward,
    embeddings: Embeddings,
    vectors_in: Counting,
) -> None:
    steward.foreseen.append("made anew")
    steward.foreseen.append("words alone")
    await remembered(steward)
    shutil.rmtree(steward.home / "meaning")
    steward.script(text("Yes."))
    steward.say("Is it cold?")
    await steward.sees("Yes.")
    await steward.eventually(lambda: meant(steward, 2) and (steward.home / "meaning").exists(), 40)
    await steward.stop()
    assert vectors_in(steward) == 2


async def test_a_damaged_index_is_made_anew_at_the_start(
    steward: Steward,
    embeddings: Embeddings,
    vectors_in: Counting,
) -> None:
    steward.foreseen.append("made anew")
    await remembered(steward)
    await steward.kill()
    [file] = steward.home.rglob("chroma.sqlite3")
    file.write_bytes(os.urandom(50_000))
    embeddings.inputs.clear()
    await steward.start()
    await steward.eventually(lambda: any(CAR in each for each in embeddings.inputs))
    await steward.eventually(lambda: meant(steward, 1))
    await steward.stop()
    assert vectors_in(steward) == 1


async def test_another_embedder_indexes_everything_anew(
    steward: Steward,
    embeddings: Embeddings,
    vectors_in: Counting,
) -> None:
    steward.foreseen.append("made anew")
    await remembered(steward)
    await steward.kill()
    embeddings.size = 64
    embeddings.inputs.clear()
    await steward.start()
    await steward.eventually(lambda: any(CAR in each for each in embeddings.inputs))
    await steward.eventually(lambda: meant(steward, 1))
    await steward.stop()
    assert vectors_in(steward) == 1


async def test_vectors_of_another_size_in_the_middle_of_a_run_cost_no_answer(
    steward: Steward,
    embeddings: Embeddings,
    vectors_in: Counting,
) -> None:
    steward.foreseen.append("made anew")
    steward.foreseen.append("words alone")
    await remembered(steward)
    embeddings.size = 64
    steward.script(text("The ladder is green."), text("As I said."))
    steward.say("Remember the ladder")
    await steward.sees("The ladder is green.")
    steward.say("/new")
    await steward.sees("fresh start")
    steward.say("the automobile of the physician")
    await steward.sees("As I said.")
    assert CAR in words_in(steward.model.requests[-1])
    await steward.eventually(lambda: meant(steward, 3), 40)
    await steward.stop()
    assert vectors_in(steward) == 3


async def test_an_index_of_an_earlier_version_is_made_anew_while_words_serve(
    steward: Steward,
    embeddings: Embeddings,
    vectors_in: Counting,
) -> None:
    steward.foreseen.append("made anew")
    steward.foreseen.append("words alone")
    await remembered(steward)
    await steward.stop()
    # Its shape had another mark.
    [mark] = steward.home.glob("meaning/*/made-2")
    mark.rename(mark.with_name("made-1"))
    before, _ = index_of(steward)
    await held_again(steward, embeddings, spared=len(STRANGE_TEXTS))
    steward.script(text("Words are enough."))
    steward.say("Which place?")
    await steward.sees("Words are enough.")
    assert index_of(steward)[1] == 0, "answers while nothing is in the new index"
    embeddings.fate = ""
    embeddings.released.set()
    await steward.eventually(lambda: meant(steward, 2))
    await steward.stop()
    assert index_of(steward)[0] != before
    assert vectors_in(steward) == 2


async def test_what_is_forgotten_leaves_the_index_and_its_files(
    steward: Steward,
    embeddings: Embeddings,
    vectors_in: Counting,
) -> None:
    steward.script(text("Noted."), text(CAR))
    await steward.start()
    steward.say("First")
    await steward.sees("Noted.")
    steward.say("/new")
    await steward.sees("fresh start")
    steward.say("Where?")
    await steward.sees(CAR)
    await steward.eventually(lambda: meant(steward, 2))
    told = next(each for each in embeddings.inputs if CAR in each)
    traces = traces_of(embedded(told))
    assert holding(steward.home, traces)
    steward.say("/forget conversation")
    asked = await steward.sees("I cannot bring it back")
    steward.press(asked, "🗑 Erase")
    await steward.sees("Erased.")
    await steward.recorded()
    await steward.restart()
    await steward.eventually(lambda: meant(steward, 1))
    await steward.stop()
    assert vectors_in(steward) == 1
    assert holding(steward.home, traces) == []


@pytest.mark.parametrize("step", ["embedding", "first vectors", "half", "the child alone"])
async def test_a_kill_while_it_is_indexed_loses_nothing_and_doubles_nothing(
    steward: Steward,
    embeddings: Embeddings,
    vectors_in: Counting,
    step: str,
) -> None:
    steward.foreseen.append("words alone")
    await steward.start()
    await steward.kill()
    embeddings.fate = "down"
    code, _ = await memory(steward, "import", str(imported(steward, 150)))
    assert code == 0
    embeddings.fate = "held" if step == "embedding" else ""
    count = {"embedding": 0, "first vectors": 28 + 1, "half": 100, "the child alone": 100}[step]
    embeddings.inputs.clear()
    await steward.start()
    await steward.eventually(
        lambda: (len(embeddings.inputs) >= count and children(steward)) or count == 0
    )
    if step == "the child alone":
        children(steward)[0].kill()
    else:
        await steward.kill()
        embeddings.fate = ""
        await steward.start()
    await steward.eventually(lambda: meant(steward, 150), 60)
    # On a busy machine the embedder may be too late for a search, which then goes by words alone.
    async with asyncio.timeout(PATIENCE):
        while await ids(steward, "thing77", "--limit", "1") != [
            ("import:77", ["words", "meaning"])
        ]:
            pass
    await steward.stop()
    assert vectors_in(steward) == 150


def in_chroma(steward: Steward) -> int:
    """Returns the number of vectors that Chroma has written down, while it runs."""
    found = 0
    for file in steward.home.rglob("chroma.sqlite3"):
        with (
            closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True)) as connection,
            suppress(sqlite3.OperationalError),  # Its tables are being made.
        ):
            held = connection.execute(
                "SELECT count(*) FROM embeddings WHERE embedding_id != 'probe'"
            )
            found += held.fetchone()[0]
    return found


def index_of(steward: Steward) -> tuple[str, int]:
    """Returns the name of the index, and how many passages it is known to have."""
    ((name,),) = steward.records.rows("SELECT name FROM meaning")
    return name, steward.records.rows("SELECT sum(meant) FROM passage")[0][0]


async def held_again(steward: Steward, embeddings: Embeddings, spared: int = 0) -> None:
    """Starts the program, and returns when its next request after so many texts is held."""
    embeddings.fate, embeddings.waiting, embeddings.spared = "held", 0, spared
    embeddings.inputs.clear()
    await steward.start()
    await steward.eventually(lambda: embeddings.waiting)


async def test_kills_while_an_answer_is_indexed_and_indexed_anew(
    steward: Steward,
    embeddings: Embeddings,
    vectors_in: Counting,
) -> None:
    steward.foreseen.append("made anew")
    steward.script(text(CAR))
    await steward.start()
    await steward.eventually(lambda: steward.records.rows("SELECT 1 FROM meaning"))
    embeddings.fate = "held"
    steward.say("Remember the place")
    await steward.sees(CAR)
    await steward.eventually(lambda: embeddings.waiting)
    await steward.kill()
    first, known = index_of(steward)
    assert (known, in_chroma(steward)) == (0, 0), "dies while the answer is embedded"
    await held_again(steward, embeddings, spared=len(STRANGE_TEXTS))
    with steward.records.locked():
        embeddings.released.set()
        await steward.eventually(lambda: in_chroma(steward) == 1)
        await steward.kill()
    assert index_of(steward) == (first, 0), "dies between the vector and its note"
    embeddings.fate = ""
    await steward.start()
    await steward.eventually(lambda: meant(steward, 1))
    await steward.kill()
    assert index_of(steward) == (first, 1)
    embeddings.size = 64
    embeddings.released.clear()
    await held_again(steward, embeddings)
    await steward.kill()
    assert index_of(steward) == (first, 1), "dies before the other embedder has told its size"
    await held_again(steward, embeddings, spared=len(STRANGE_TEXTS))
    await steward.kill()
    anew, known = index_of(steward)
    assert (anew != first, known) == (True, 0), "dies when the new index is begun and empty"
    embeddings.fate = ""
    await steward.start()
    await steward.eventually(lambda: meant(steward, 1))
    await steward.stop()
    assert vectors_in(steward) == 1


async def test_kills_while_an_answer_is_erased(
    steward: Steward,
    embeddings: Embeddings,
    vectors_in: Counting,
) -> None:
    await remembered(steward)
    told = next(each for each in embeddings.inputs if CAR in each)
    traces = traces_of(embedded(told))
    assert holding(steward.home, traces)
    steward.say("/forget all")
    asked = await steward.sees("I cannot bring it back")
    await steward.recorded()
    await steward.way.listened()
    with steward.records.locked():
        press = steward.press(asked, "🗑 Erase")
        await steward.way.delivered()
        await steward.kill()
    assert steward.records.rows("SELECT count(*) FROM passage") == [(1,)], "dies before the erasing"
    embeddings.fate = "held"
    await steward.start()
    steward.way.press_again_if_lost(press)
    await steward.sees("Erased.")
    await steward.recorded()
    await steward.kill()
    assert steward.records.rows("SELECT count(*) FROM leaving") == [(1,)], "dies before the index"
    assert in_chroma(steward) == 1
    embeddings.fate = ""
    await steward.start()
    await steward.eventually(lambda: not steward.records.rows("SELECT 1 FROM leaving"))
    await steward.stop()
    assert vectors_in(steward) == 0
    kept = holding(steward.home, [*traces, CAR.encode()])
    assert not [each for each in kept if each.suffix != ".log"]


async def test_the_doctor_tries_embedder_and_index(
    steward: Steward, embeddings: Embeddings
) -> None:
    await remembered(steward)
    told = await doctor(steward)
    assert FOUND_BY_WORDS in told
    assert f"{MODEL} answers with 256 numbers. 1 of 1 answers are found by meaning." in told
    assert counted(steward) == sum(embeddings.tokens)
    told = await doctor(steward, STEWARD_EMBED_KEY="sk-wrong-9876543210")
    assert EMBEDDER_REFUSES in told
    assert "sk-wrong" not in told


@pytest.mark.parametrize("before", ["the first start", "the first index", "the next run"])
async def test_the_doctor_tells_of_an_index_server_that_is_away(
    steward: Steward, embeddings: Embeddings, before: str
) -> None:
    if before == "the first start":
        steward.records.path.unlink()
    if before == "the next run":
        await remembered(steward)
    told = " ".join((await doctor(steward, STEWARD_CHROMA_URL="http://127.0.0.1:9")).split())
    assert "The search by meaning does not work now" in told
    assert "Look at STEWARD_CHROMA_URL" in told


async def doctor(steward: Steward, **settings: str) -> str:
    _, told = await steward.printed_by("doctor", **settings)
    return told


async def test_a_local_embedder_that_cannot_be_fetched_is_told_once_and_words_serve(
    steward: Steward,
) -> None:
    steward.foreseen.append("words alone")
    away = "http://127.0.0.1:9"
    steward.script(text(CAR), text("Here."))
    await steward.start(STEWARD_EMBED_MODEL="local", HTTPS_PROXY=away, HOME=steward.folder)
    await steward.eventually(lambda: "could not be fetched" in steward.output, 60)
    steward.say("Where is the car?")
    await steward.sees(CAR)
    steward.say("/new")
    await steward.sees("fresh start")
    steward.say("the automobile of the physician")
    await steward.sees("Here.")
    assert CAR in words_in(steward.model.requests[-1])
    assert steward.output.count("could not be fetched") == 1
