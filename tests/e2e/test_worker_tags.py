"""Workers on several machines: a chat with files is served where its files are."""

from collections.abc import AsyncIterator

import pytest

from tests.e2e.steward import Steward
from tests.e2e.test_roles import Company
from tests.standins.messages_api import Reply, calls, text, tool
from tests.words import APPROVE

pytestmark = [
    pytest.mark.postgres,
    pytest.mark.timeout(300),
    pytest.mark.telegrams_own("who has the files is the same question on each platform"),
]
PLACES = ("garage", "attic")


@pytest.fixture
async def company(own_postgres_url: str, steward: Steward) -> AsyncIterator[Company]:
    """One process for everything but turns, and a worker on each of two machines."""
    company = Company(steward, own_postgres_url)
    try:
        await steward.start(STEWARD_ROLE="receive,deliver,schedule")
        for place in PLACES:
            await at_work(company, steward, place)
        await company.knows_of(3)
        yield company
    finally:
        for name in [*company.processes]:
            await company.leave(name)


async def at_work(company: Company, steward: Steward, place: str) -> None:
    """Have a worker begin on a machine, where the workspace is another folder."""
    there = str(steward.folder / f"disk of {place}")
    await company.join(place, "work", STEWARD_WORKER_TAGS=place, STEWARD_WORKSPACE=there)


def reading(told: str) -> tuple[Reply, Reply]:
    return calls(tool("read_file", {"path": "one.md"})), text(told)


def homes(steward: Steward) -> set[str]:
    """The machines on which the file is."""
    return {p for p in PLACES if (steward.folder / f"disk of {p}" / "one.md").exists()}


async def test_a_chat_is_served_where_its_files_are_and_waits_while_that_machine_is_away(
    company: Company, steward: Steward
) -> None:
    write = tool("write_file", {"path": "one.md", "content": "green"})
    steward.script(calls(write), text("It is there."))
    steward.say("Write one file")
    steward.press(await steward.card(), APPROVE)
    await steward.sees("It is there.")
    [home] = homes(steward)
    # Whoever takes the chat first, the one with the file answers.
    for number in range(4):
        steward.script(*reading(f"It is green {number}."))
        steward.say(f"What colour is it? {number}")
        await steward.sees(f"It is green {number}.")
        results = [
            block
            for message in steward.model.requests[-1].body["messages"][-1:]
            for block in message["content"]
            if block["type"] == "tool_result"
        ]
        assert "green" in str(results)

    assert await company.leave(home, orderly=True) == 0
    asked = len(steward.model.requests)
    steward.say("And now?")
    told = await steward.sees("I cannot reach it now")
    assert f"“{home}”" in told.text
    assert len(steward.model.requests) == asked
    steward.script(*reading("Still green."))
    await at_work(company, steward, home)
    await steward.sees("Still green.")
    assert homes(steward) == {home}
    await steward.recorded()
    _, told = await steward.printed_by("doctor", STEWARD_WORKER_TAGS="garage")
    assert f"The tags of this worker: garage. Folders of chats: {home} has 1." in told
