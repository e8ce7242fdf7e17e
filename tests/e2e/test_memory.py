"""The memory of the whole program: kept, recalled in another conversation, and lost by no death."""

import io
import json
import re
import sqlite3
import zipfile
from contextlib import closing

import pytest

from tests.e2e.steward import Steward, words_in
from tests.standins.messages_api import calls, text, thinking, tool
from tests.words import UNDO

_FLOWS_OWN = pytest.mark.flows_own("memory is read from the store")


def _all_owed(steward: Steward) -> None:
    """Leaves the database as a death between the settlement and the index leaves it."""
    with closing(sqlite3.connect(steward.records.path)) as connection, connection:
        connection.execute("UPDATE passage SET indexed = 0")
        connection.execute("DELETE FROM passage_words")


def _indexed(steward: Steward, count: int) -> bool:
    told = "SELECT count(*), count(*) FILTER (WHERE indexed) FROM passage"
    return steward.records.rows(told) == [(count, count)]


@_FLOWS_OWN
async def test_an_answer_is_recalled_in_another_conversation_after_a_death(
    steward: Steward,
) -> None:
    steward.script(text("Your dog is called Rex."), text("I know him."))
    await steward.start()
    steward.say("My dog is called Rex")
    await steward.sees("Your dog is called Rex.")
    await steward.eventually(lambda: _indexed(steward, 1))
    await steward.kill()
    _all_owed(steward)
    await steward.start()
    await steward.eventually(lambda: _indexed(steward, 1))
    steward.say("/new")
    await steward.sees("fresh start")
    steward.say("What is the name of my dog?")
    await steward.sees("I know him.")
    request = words_in(steward.model.requests[1])
    assert request.count("Your dog is called Rex.") == 1
    assert request.index('<quoted_data from="the memory"') < request.index(
        "What is the name of my dog?"
    )


@_FLOWS_OWN
async def test_hostile_words_are_remembered_and_searched_like_others(steward: Steward) -> None:
    hostile = '" OR NEAR( * tokens:x \\ ^ -- \u202e 💥 NOT AND'
    steward.script(text(f"You said {hostile}"), text("Again."))
    await steward.start()
    steward.say(hostile)
    await steward.sees("You said")
    await steward.eventually(lambda: _indexed(steward, 1))
    steward.say(f"{hostile} again")
    await steward.sees("Again.")
    await steward.eventually(lambda: _indexed(steward, 2))


async def test_a_conversation_is_forgotten_in_the_file_and_goes_on(steward: Steward) -> None:
    secret = "xyzzyplugh"
    steward.script(
        thinking("Let me look.") + calls(tool("list_files", {})),
        thinking("So.") + text(f"The code is {secret}."),
        text("I cannot know."),
    )
    await steward.start()
    steward.say(f"The code is {secret}, look around")
    await steward.sees(f"The code is {secret}.")
    await steward.eventually(lambda: _indexed(steward, 1))
    steward.say("/forget conversation")
    asked = await steward.sees("I cannot bring it back")
    steward.press(asked, "🗑 Erase")
    await steward.sees("Erased.")
    await steward.recorded()
    await steward.restart()
    steward.say("What is the code?")
    await steward.sees("I cannot know.")
    request = str(steward.model.requests[2].body)
    assert secret not in request
    assert "[erased " in request
    await steward.stop()
    assert secret.encode() not in steward.records.path.read_bytes()


@_FLOWS_OWN
async def test_a_note_is_undone_by_its_button_after_a_death(steward: Steward) -> None:
    steward.script(
        calls(tool("remember", {"note": "Ann eats no nuts."})), text("I will."), text("Soup.")
    )
    await steward.start()
    steward.say("Remember: no nuts")
    noted = await steward.sees("Noted: Ann eats no nuts.")
    await steward.sees("I will.")
    await steward.restart()
    steward.say("/new")
    await steward.sees("fresh start")
    steward.press(noted, UNDO)
    await steward.sees("The note is deleted.")
    steward.say("What shall I cook?")
    await steward.sees("Soup.")
    assert "nuts" not in words_in(steward.model.requests[2])


async def test_an_export_arrives_as_a_zipped_file(steward: Steward) -> None:
    steward.script(text("Your dog is called Rex."))
    await steward.start()
    steward.say("My dog is called Rex")
    await steward.sees("Your dog is called Rex.")
    await steward.eventually(lambda: _indexed(steward, 1))
    steward.say("/export")
    await steward.sees("Here is everything we said in private")
    sent = await steward.until(
        lambda: next((one.file for one in steward.shown if one.file is not None), None)
    )
    assert re.fullmatch(r"steward-export-20\d\d-\d\d-\d\d\.zip", sent.name)
    with zipfile.ZipFile(io.BytesIO(sent.data)) as archive:
        assert archive.namelist() == ["steward.jsonl", "steward.md"]
        lines = [json.loads(line) for line in archive.read("steward.jsonl").splitlines()]
    assert [line["text"] for line in lines] == ["My dog is called Rex", "Your dog is called Rex."]
