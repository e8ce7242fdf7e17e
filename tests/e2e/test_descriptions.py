"""Skills and tools found by their meaning in the whole program, with a strict embedding server."""

import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bot.domain.memory.meaning import STRANGE_TEXTS
from tests.e2e.skills import put
from tests.e2e.steward import Steward, results_in
from tests.standins.embeddings import MODEL, Embeddings, settings_for
from tests.standins.messages_api import Reply, calls, text, tool
from tests.standins.serving import serving

_FLOWS_OWN = pytest.mark.flows_own("a description is embedded whatever brought the words")

SERVER = Path(__file__).parents[1] / "standins" / "tool_server.py"
GARAGE = "Finds a shop that repairs an automobile."
OTHERS = {"letters": "Writes letters to offices.", "plants": "Says when to water plants."}
CLAIMED = "SELECT count(*) FROM description WHERE vector IS NULL"
KEPT = "SELECT count(*) FROM description WHERE vector IS NOT NULL"


@pytest.fixture
async def embeddings(steward: Steward) -> AsyncIterator[Embeddings]:
    """An embedding server that the settings name; the list of skills has room for none."""
    server = Embeddings()
    async with serving(server.app) as url:
        steward.settings |= settings_for(url) | {"STEWARD_SKILL_LIST_BYTES": "10"}
        # The memory by meaning may lack its library; this search needs none.
        steward.foreseen.append("answers are found by words alone")
        yield server


def skill(steward: Steward, name: str, told: str) -> None:
    folder = put(steward, name)
    (folder / "SKILL.md").write_text(f"---\nname: {name}\ndescription: {told}\n---\nDo it.\n")


def skills(steward: Steward) -> None:
    empty = steward.folder / "no_skills"
    empty.mkdir()
    steward.settings["STEWARD_SKILLS"] = str(empty)
    for name, told in {"garage": GARAGE, **OTHERS}.items():
        skill(steward, name, told)


def find(query: str) -> Reply:
    return calls(tool("find_skills", {"query": query}))


async def found(steward: Steward, query: str, answer: str) -> str:
    """Returns the result of a search that a turn makes."""
    steward.script(find(query), text(answer))
    steward.say(f"Please: {answer}")
    await steward.sees(answer)
    return list(results_in(steward.model.requests[-1]).values())[-1]


async def kept(steward: Steward, count: int) -> None:
    """Waits until so many descriptions have their vectors, beside the strange texts."""
    wanted = [(count + len(STRANGE_TEXTS),)]
    await steward.eventually(lambda: steward.records.rows(KEPT) == wanted)


@_FLOWS_OWN
async def test_a_skill_is_found_by_other_words_embedded_once_and_its_cost_counted(
    steward: Steward, embeddings: Embeddings
) -> None:
    skills(steward)
    await steward.start()
    await kept(steward, 3)
    assert await found(steward, "coche", "One.") == f"- garage: {GARAGE}"
    assert await found(steward, "water my plants", "Two.") == f"- plants: {OTHERS['plants']}"
    told = "SELECT sum(input) FROM usage WHERE kind = 'embedding'"
    await steward.eventually(lambda: steward.records.rows(told) == [(sum(embeddings.tokens),)])
    steward.say("/usage")
    assert MODEL in (await steward.sees("Usage of all chats")).text
    await steward.restart()
    embeddings.inputs.clear()
    assert await found(steward, "coche", "Three.") == f"- garage: {GARAGE}"
    assert "garage" not in " ".join(embeddings.inputs)
    skill(steward, "garage", "Plans a vacation.")
    await steward.eventually(lambda: "garage: Plans a vacation." in embeddings.inputs)
    (steward.home / "skills" / "letters" / "SKILL.md").unlink()
    await kept(steward, 2)
    assert await found(steward, "urlaub", "Four.") == "- garage: Plans a vacation."
    assert not [one for one in embeddings.inputs if one.startswith("plants")]


@pytest.mark.parametrize("fate", ["down", "drop", "held", "refuse", "nan", "key"])
@_FLOWS_OWN
async def test_a_failing_embedder_leaves_the_words_at_once(
    steward: Steward, embeddings: Embeddings, fate: str
) -> None:
    steward.foreseen.append("skills and tools are found by words alone")
    skills(steward)
    await steward.start()
    await kept(steward, 3)
    if fate == "key":
        steward.settings["STEWARD_EMBED_KEY"] = "sk-another"
        await steward.restart()
    embeddings.fate = fate
    told = await found(steward, "water for the automobile", "One.")
    assert set(told.splitlines()) >= {f"- plants: {OTHERS['plants']}", f"- garage: {GARAGE}"}
    assert await found(steward, "coche", "Two.") == ("None of 3 skills has such words. Try others.")
    assert steward.output.count("skills and tools are found by words alone") == 1
    embeddings.fate = ""
    embeddings.released.set()


@_FLOWS_OWN
async def test_vectors_of_another_size_are_made_anew_and_words_serve_meanwhile(
    steward: Steward, embeddings: Embeddings
) -> None:
    steward.foreseen.append("skills and tools are found by words alone")
    skills(steward)
    await steward.start()
    await kept(steward, 3)
    embeddings.size = 64
    told = await found(steward, "water for the automobile", "One.")
    assert set(told.splitlines()) >= {f"- plants: {OTHERS['plants']}", f"- garage: {GARAGE}"}
    sizes = f"{KEPT} AND length(vector) = 64"
    wanted = [(3 + len(STRANGE_TEXTS),)]
    await steward.eventually(lambda: steward.records.rows(sizes) == wanted)
    assert f"- garage: {GARAGE}" in await found(steward, "coche", "Two.")


@pytest.fixture
def lent(steward: Steward) -> None:
    """A server whose tools have no room in a request, each with a large schema."""
    folder = steward.folder / "server"
    folder.mkdir()
    arguments = ("-S", str(SERVER), str(folder), "--many")
    listed = ", ".join(f'"{word}"' for word in arguments)
    (steward.folder / "steward.toml").write_text(
        f'[mcp.many]\ncommand = "{sys.executable}"\nargs = [{listed}]\n'
    )
    steward.settings["STEWARD_TOOL_BYTES"] = "40000"


def look(words: str) -> Reply:
    return calls(tool("find_tools", {"words": words}))


@pytest.mark.usefixtures("lent")
@_FLOWS_OWN
async def test_a_tool_is_found_by_other_words_in_small_portions_and_stays_foreign(
    steward: Steward, embeddings: Embeddings
) -> None:
    steward.script(text("Hello."), look("coche"), text("There it is."))
    await steward.start()
    steward.say("Hi")
    await steward.sees("Hello.")
    await steward.eventually(lambda: "many rental: Lends an automobile." in embeddings.inputs)
    await steward.eventually(lambda: steward.records.rows(CLAIMED) == [(0,)])
    steward.say("Find one")
    await steward.sees("There it is.")
    (told,) = results_in(steward.model.requests[-1]).values()
    assert '- many__rental\n<quoted_data from="the tool server many">\nLends an automobile.' in told
    named = [one for one in embeddings.inputs if one.startswith("many ")]
    assert len(named) == len(set(named)) > 32
    assert max(map(len, embeddings.asked)) <= 32
