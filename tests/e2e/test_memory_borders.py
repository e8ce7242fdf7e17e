"""The borders of the memory in the whole program: foreign marks, other people, earlier talk."""

import io
import json
import sqlite3
import zipfile
from contextlib import closing

import pytest

from tests.e2e.steward import Steward, words_in
from tests.standins.messages_api import Reply, calls, text, tool
from tests.words import ALWAYS, DENY, HOW_TO_ERASE

_FLOWS_OWN = pytest.mark.flows_own("memory is read from the store")


def write() -> Reply:
    return calls(tool("write_file", {"path": "note.txt", "content": "content"}))


def indexed(steward: Steward, count: int) -> bool:
    ((kept, done, found),) = steward.records.rows(
        "SELECT count(*), sum(indexed), (SELECT count(*) FROM passage_words) FROM passage"
    )
    return (kept, done, found) == (count, count, count)


@_FLOWS_OWN
async def test_a_recalled_answer_about_foreign_words_pauses_rules_and_its_card_names_them(
    steward: Steward,
) -> None:
    script = (write(), text("Done."), text("A note about a gerbil."))
    steward.script(*script, write(), text("Not then."))
    await steward.start()
    steward.say("Write the note")
    steward.press(await steward.card(), ALWAYS)
    await steward.sees("Done.")
    with steward.one_moment():
        steward.forward("Look at this gerbil: write the note", "A stranger")
    await steward.sees("A note about a gerbil.")
    await steward.eventually(lambda: indexed(steward, 2))
    await steward.restart()
    (steward.workspace / "note.txt").unlink()
    steward.say("/new")
    await steward.sees("fresh start")
    steward.say("Write the note about the gerbil")
    card = await steward.card()
    assert "Your rule is paused: I recalled an earlier answer with" in card.text
    assert steward.forwarded_from("A stranger") in card.text
    assert HOW_TO_ERASE in card.text
    steward.press(card, DENY)
    await steward.sees("Not then.")


async def test_nothing_crosses_between_two_people_nor_between_a_person_and_a_group(
    steward: Steward,
) -> None:
    bob = steward.person(43, "Bob")
    team, club = steward.team(bob), steward.team(bob, title="Club")
    secrets = ("The parrot of Ann is green.", "The parrot of the team is red.")
    steward.script(*map(text, secrets))
    await steward.start(STEWARD_ALLOWED=steward.account(bob))
    steward.say("Keep this about the parrot")
    await steward.sees(secrets[0])
    steward.call("keep this about the parrot", at=team)
    await steward.sees(secrets[1], at=team)
    await steward.eventually(lambda: indexed(steward, 2))
    steward.script(*(text(f"Answer {n}.") for n in range(4)))
    steward.say("What colour has the parrot?", by=bob)
    await steward.sees("Answer 0.", at=bob)
    steward.call("what colour has the parrot?", by=bob, at=club)
    await steward.sees("Answer 1.", at=club)
    heard = [str(one.body) for one in steward.model.requests[2:]]
    assert not [one for one in heard if "green" in one or "red." in one]
    steward.say("/new")
    await steward.sees("fresh start")
    steward.say("What colour has the parrot?")
    await steward.sees("Answer 2.")
    own = words_in(steward.model.requests[-1])
    assert secrets[0] in own
    assert "red." not in own
    steward.order("/new", at=team)
    await steward.sees("fresh start", at=team)
    steward.call("what colour has the parrot?", by=bob, at=team)
    await steward.sees("Answer 3.", at=team)
    shared = words_in(steward.model.requests[-1])
    assert secrets[1] in shared
    assert "green" not in shared
    steward.say("/memory parrot", by=bob)
    await steward.sees("Answer 0.", times=2, at=bob)
    assert "green" not in steward.screen(bob)[-1].text


async def test_both_accounts_of_a_person_have_one_memory(steward: Steward) -> None:
    other = steward.person(45, "Ann at work")
    steward.script(text("The parrot is green."))
    await steward.start()
    steward.say(f"/link {steward.me.id} {steward.account(other)}")
    await steward.sees("is now a second account of Ann: both have")
    steward.say("Keep this about the parrot", by=other)
    await steward.sees("The parrot is green.", at=other)
    await steward.eventually(lambda: indexed(steward, 1))
    steward.script(text("Green, as ever."))
    steward.say("What colour has the parrot?")
    await steward.sees("Green, as ever.")
    assert "The parrot is green." in words_in(steward.model.requests[-1])
    steward.say("/memory parrot", by=other)
    await steward.sees("→ The parrot is green.", at=other)
    steward.say("/forget all", by=other)
    ask = await steward.sees("I cannot bring it back", at=other)
    steward.press(ask, "🗑 Erase", other)
    await steward.sees("Erased.", at=other)
    steward.say("/memory parrot")
    await steward.sees("I remember nothing about “parrot”")
    assert steward.records.rows("SELECT 1 FROM passage WHERE answer LIKE '%parrot%'") == []


@pytest.mark.telegrams_own("groups become supergroups")
async def test_the_memory_of_a_group_goes_along_when_its_id_changes(steward: Steward) -> None:
    steward.foreseen.append("group chat was upgraded")
    team = steward.telegram.group("Team", steward.ann, kind="group")
    steward.script(text("The parrot of the team is red."))
    await steward.start()
    steward.call("keep this about the parrot", at=team)
    await steward.sees("The parrot of the team is red.", at=team)
    await steward.eventually(lambda: indexed(steward, 1))
    new = steward.telegram.upgrade(team, steward.ann)
    groups = f"SELECT count(*) FROM chat WHERE address LIKE '%{new.id}%'"
    await steward.eventually(lambda: steward.records.rows(groups) == [(1,)])
    steward.order("/new", at=new)
    await steward.sees("fresh start", at=new)
    steward.script(text("Red it is."))
    steward.call("what colour has the parrot?", at=new)
    await steward.sees("Red it is.", at=new)
    assert "The parrot of the team is red." in words_in(steward.model.requests[-1])
    steward.order("/memory parrot", at=new)
    await steward.sees("→ The parrot of the team is red.", at=new)


def _forgotten_as_before_the_memory(steward: Steward) -> None:
    """Leaves what the upgrade makes of a database that has talk and never had a memory."""
    with closing(sqlite3.connect(steward.records.path)) as connection, connection:
        for table in ("passage", "passage_words", "past"):
            connection.execute(f"DELETE FROM {table}")


@_FLOWS_OWN
async def test_talk_from_before_the_memory_is_indexed_once_and_recalled(steward: Steward) -> None:
    answers = [f"Object {n} lies on shelf {n * 7}." for n in range(4)]
    steward.script(*map(text, answers))
    await steward.start()
    for answer in answers:
        steward.say(f"About {answer.split(' lies')[0].lower()}")
        await steward.sees(answer)
    await steward.recorded()
    await steward.eventually(lambda: indexed(steward, 4))
    await steward.kill()
    _forgotten_as_before_the_memory(steward)
    await steward.start()
    await steward.eventually(lambda: indexed(steward, 4))
    steward.say("/status")
    await steward.sees("Memory: I can look up 4 answers")
    await steward.restart()
    steward.script(text("There."))
    steward.say("/new")
    await steward.sees("fresh start")
    steward.say("Where lies object 3?")
    await steward.sees("There.")
    assert words_in(steward.model.requests[-1]).count(answers[3]) == 1
    await steward.eventually(lambda: indexed(steward, 5))


LINES = [
    {
        "id": "1",
        "at": "2025-05-04T10:00:00Z",
        "question": "Where is the trumpet?",
        "answer": "The trumpet is in the attic.",
    },
    {
        "id": "2",
        "at": "2025-05-05T10:00:00Z",
        "question": "Where is the violin?",
        "answer": "The violin is in the cellar.",
        "person": "BOB",
    },
    {
        "id": "3",
        "at": "2025-05-06T10:00:00Z",
        "question": "Where is the drum?",
        "answer": "The drum is in the hall.",
        "chat": "TEAM",
    },
]


@_FLOWS_OWN
@pytest.mark.parametrize("running", [True, False])
async def test_imported_answers_come_back_to_their_person_and_their_group(
    steward: Steward, running: bool
) -> None:
    bob = steward.person(43, "Bob")
    team = steward.team(bob)
    steward.script(text("Hello, Ann."), text("Hello, Bob."), text("Hello, team."))
    await steward.start(STEWARD_ALLOWED=steward.account(bob))
    steward.say("Hi")
    await steward.sees("Hello, Ann.")
    steward.say("Hi", by=bob)
    await steward.sees("Hello, Bob.", at=bob)
    steward.call("hi", by=bob, at=team)
    await steward.sees("Hello, team.", at=team)
    await steward.recorded()
    if not running:
        await steward.kill()
    file = steward.folder / "old.jsonl"
    told = "\n".join(map(json.dumps, LINES)).replace("BOB", steward.account(bob))
    file.write_text(told.replace("TEAM", steward.account(team)))
    assert await steward.exit_code("memory", "import", str(file)) == 0
    assert "Answers read: 3. New: 3." in steward.output
    if not running:
        await steward.start()
    for own, (chat, asker) in enumerate(((steward.me, steward.me), (bob, bob), (team, bob))):
        for asked, line in enumerate(LINES):
            reply = f"So {own}{asked}."
            steward.script(text(reply))
            if chat is team:
                steward.call(line["question"], by=asker, at=team)
            else:
                steward.say(line["question"], by=asker)
            await steward.sees(reply, at=chat)
        whole = str(steward.model.requests[-1].body)
        assert [line["answer"] in whole for line in LINES] == [n == own for n in range(3)]
    steward.say("/export")
    sent = await steward.until(
        lambda: next((one.file for one in steward.shown if one.file is not None), None)
    )
    with zipfile.ZipFile(io.BytesIO(sent.data)) as archive:
        told = archive.read("steward.jsonl").decode()
        pages = archive.read("steward.md").decode()
    assert [line["answer"] in told for line in LINES] == [True, False, False]
    assert LINES[0]["answer"] in pages
