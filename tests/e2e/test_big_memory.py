"""Ten thousand notes and an answer of five megabytes: nobody waits, and every request fits."""

import io
import json
import sqlite3
import zipfile
from contextlib import closing

import pytest

from bot.domain.memory.note import NOTE_BYTES
from tests.e2e.steward import Steward, words_in
from tests.standins.messages_api import PROFILES, calls, text, tool

_FLOWS_OWN = pytest.mark.flows_own("sizes of the store, not of messages")

WORD = "Steward remembers. "
BIG = WORD * (5_000_000 // len(WORD))
MANY = 10_000
FILL = """WITH RECURSIVE each(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM each LIMIT ?)
INSERT INTO note (id, whose, text, at, person, speaker, conversation)
SELECT 'n' || n, whose, 'fact number ' || n || ' ' || ?, datetime(at, '-' || n || ' minutes')
    || '.000000', person, speaker, '' FROM each, note WHERE note.id NOT LIKE 'n%'"""

PASSAGES = 100_000
KEEP = """WITH RECURSIVE each(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM each LIMIT ?)
INSERT INTO passage (id, whose, at, question, answer, person, speaker, chat, conversation)
SELECT 'p' || n, whose, at, 'How is thing ' || n || '?', 'It is fine, like thing ' || (n / 7) ||
    ' of the street ' || (n % 50), person, speaker, chat, '' FROM each, passage"""


@_FLOWS_OWN
async def test_an_answer_of_five_megabytes_is_cut_before_the_next_request(steward: Steward) -> None:
    big = text(BIG).in_pieces(500)
    steward.script(text("One."), big, text("- it was long"), text("Two."), text("Three."))
    await steward.start()
    steward.say("/long file")
    await steward.sees("its beginning and a Markdown file")
    steward.say("Hello")
    await steward.sees("One.")
    steward.say("Tell me everything")
    await steward.until(lambda: any(one.file is not None for one in steward.shown), 60)
    steward.say("And now?")
    await steward.sees("Two.")
    # The stand-in refuses what is beyond the model's window: nothing was refused.
    assert steward.model.refusals == []
    summed, after = (steward.model.requests[n] for n in (2, 3))
    window = max(profile.context_window for profile in PROFILES.values())
    assert len(BIG) > 4 * window, "the answer alone would have been beyond the window"
    assert "bytes left out" in str(summed.body)
    assert WORD.strip() in str(summed.body)
    assert "- it was long" in str(after.body)
    assert after.size < 50_000
    await steward.recorded()
    await steward.restart()
    steward.say("/memory remembers")
    await steward.sees("Tell me everything")
    steward.say("Still there?")
    await steward.sees("Three.")


@_FLOWS_OWN
async def test_ten_thousand_notes_are_exported_in_one_file(steward: Steward) -> None:
    steward.script(calls(tool("remember", {"note": "Ann eats no nuts."})), text("I will."))
    await steward.start()
    steward.say("Remember: no nuts")
    await steward.sees("I will.")
    await steward.recorded()
    with closing(sqlite3.connect(steward.records.path)) as connection, connection:
        connection.execute(FILL, (MANY, "x" * 300))
    steward.say("/export")
    await steward.until(lambda: any(one.file is not None for one in steward.shown))
    (sent,) = (one.file for one in steward.shown if one.file is not None)
    with zipfile.ZipFile(io.BytesIO(sent.data)) as archive:
        lines = archive.read("steward.jsonl").decode().splitlines()
        pages = archive.read("steward.md").decode()
    notes = [one["text"] for one in map(json.loads, lines) if one["kind"] == "note"]
    assert (len(notes), len(set(notes))) == (MANY + 1, MANY + 1)
    assert "Ann eats no nuts." in pages
    assert f"fact number {MANY - 1} " in pages


@_FLOWS_OWN
async def test_ten_thousand_notes_are_paged_and_open_a_conversation_within_their_bytes(
    steward: Steward,
) -> None:
    steward.script(calls(tool("remember", {"note": "Ann eats no nuts."})), text("I will."))
    await steward.start()
    steward.say("Remember: no nuts")
    await steward.sees("I will.")
    await steward.recorded()
    with closing(sqlite3.connect(steward.records.path)) as connection, connection:
        connection.execute(FILL, (MANY, "x" * 300))
    steward.say("/new")
    await steward.sees("fresh start")
    steward.script(text("Soup."))
    steward.say("What shall I cook?")
    await steward.sees("Soup.")
    asked = words_in(steward.model.requests[-1])
    assert "Ann eats no nuts." in asked
    assert NOTE_BYTES / 2 < len(asked.encode()) < NOTE_BYTES + 1_000
    steward.say("/memory")
    pages = await steward.sees("page 1, the newest first:")
    steward.press(pages, "Older ▸")
    second = await steward.sees("page 2, the newest first:")
    assert "fact number 10…" in second.text
    steward.say(f"/memory notes {MANY // 10}")
    assert f"fact number {MANY - 1}…" in (await steward.sees("page 1000, the")).text
    steward.press(await steward.sees("page 1000, the"), "1")
    steward.press(await steward.sees("Noted 20"), "🗑 Delete")
    steward.press(await steward.sees("Delete this note?"), "🗑 Delete")
    await steward.sees("The note is deleted.")
    steward.say("/forget all")
    steward.press(await steward.sees("I cannot bring it back"), "🗑 Erase")
    await steward.sees("Erased.")
    assert steward.records.rows("SELECT count(*) FROM note") == [(0,)]


@_FLOWS_OWN
async def test_a_hundred_thousand_answers_of_one_person_keep_nobody_waiting(
    steward: Steward,
) -> None:
    steward.script(text("The unicycle is in the shed."))
    await steward.start()
    steward.say("Where is the unicycle?")
    await steward.sees("The unicycle is in the shed.")
    indexed = "SELECT count(*) FROM passage WHERE indexed"
    await steward.eventually(lambda: steward.records.rows(indexed) == [(1,)])
    with closing(sqlite3.connect(steward.records.path)) as connection, connection:
        connection.execute(KEEP, (PASSAGES,))
    steward.say("/new")
    await steward.sees("fresh start")
    steward.script(text("As I said."))
    steward.say("In which place is the unicycle?")
    await steward.sees("As I said.")
    assert "in the shed" in words_in(steward.model.requests[-1])
    steward.say("/status")
    await steward.sees("look up 100,0")
    await steward.restart()
    # It goes on with what is owed, and people are answered meanwhile.
    await steward.eventually(lambda: steward.records.rows(indexed)[0][0] > 1_000, 40)
    steward.say("/forget all")
    steward.press(await steward.sees("I cannot bring it back"), "🗑 Erase")
    await steward.until(lambda: steward.showing("Erased."), 60)
    assert steward.records.rows("SELECT count(*) FROM passage") == [(0,)]
