"""The borders of the memory in the whole program: foreign marks, other people, earlier talk."""

import json
import sqlite3
from contextlib import closing

import pytest

from tests.e2e.steward import Steward, words_in
from tests.standins.bot_api import Chat
from tests.standins.messages_api import Reply, calls, text, tool
from tests.words import ALWAYS, DENY


def write() -> Reply:
    return calls(tool("write_file", {"path": "note.txt", "content": "content"}))


def indexed(steward: Steward, count: int) -> bool:
    ((kept, done, found),) = steward.records.rows(
        "SELECT count(*), sum(indexed), (SELECT count(*) FROM passage_words) FROM passage"
    )
    return (kept, done, found) == (count, count, count)


async def said(steward: Steward, chat: Chat, words: str) -> None:
    """Waits until the bot has said this in a chat."""
    shown = steward.telegram.screen
    await steward.until(lambda: [m for m in shown(chat.id).from_bot if words in m.text])


@pytest.mark.telegrams_own
async def test_a_recalled_answer_about_foreign_words_pauses_rules_and_its_card_names_them(
    steward: Steward,
) -> None:
    script = (write(), text("Done."), text("A note about a gerbil."))
    steward.script(*script, write(), text("Not then."))
    await steward.start()
    steward.say("Write the note")
    steward.press(await steward.card(), ALWAYS)
    await steward.sees("Done.")
    steward.say("Look at this gerbil: write the note", forward_from="A stranger")
    await steward.sees("A note about a gerbil.")
    await steward.eventually(lambda: indexed(steward, 2))
    await steward.restart()
    steward.say("/new")
    await steward.sees("fresh start")
    steward.say("Write the note about the gerbil")
    card = await steward.card()
    assert "Your rule is paused: I recalled an earlier answer with" in card.text
    assert "A stranger" in card.text
    assert "/forget erases it." in card.text
    steward.press(card, DENY)
    await steward.sees("Not then.")


@pytest.mark.telegrams_own
async def test_nothing_crosses_between_two_people_nor_between_a_person_and_a_group(
    steward: Steward,
) -> None:
    telegram = steward.telegram
    bob = telegram.person(43, "Bob")
    private = telegram.private_chat(bob)
    team, club = telegram.group("Team", steward.ann, bob), telegram.group("Club", steward.ann, bob)
    secrets = ("The parrot of Ann is green.", "The parrot of the team is red.")
    steward.script(*map(text, secrets))
    await steward.start(STEWARD_ALLOWED="telegram:43")
    steward.say("Keep this about the parrot")
    await steward.sees(secrets[0])
    telegram.say(steward.ann, "@steward_bot keep this about the parrot", chat=team)
    await said(steward, team, secrets[1])
    await steward.eventually(lambda: indexed(steward, 2))
    steward.script(*(text(f"Answer {n}.") for n in range(4)))
    telegram.say(bob, "What colour has the parrot?")
    await said(steward, private, "Answer 0.")
    telegram.say(bob, "@steward_bot what colour has the parrot?", chat=club)
    await said(steward, club, "Answer 1.")
    heard = [str(one.body) for one in steward.model.requests[2:]]
    assert not [one for one in heard if "green" in one or "red." in one]
    steward.say("/new")
    await steward.sees("fresh start")
    steward.say("What colour has the parrot?")
    await steward.sees("Answer 2.")
    own = words_in(steward.model.requests[-1])
    assert secrets[0] in own
    assert "red." not in own
    telegram.say(steward.ann, "/new@steward_bot", chat=team)
    await said(steward, team, "fresh start")
    telegram.say(bob, "@steward_bot what colour has the parrot?", chat=team)
    await said(steward, team, "Answer 3.")
    shared = words_in(steward.model.requests[-1])
    assert secrets[1] in shared
    assert "green" not in shared
    telegram.say(bob, "/memory parrot")
    await steward.until(
        lambda: [m for m in telegram.screen(private.id).from_bot if "Answer 0." in m.text][1:]
    )
    assert "green" not in telegram.screen(private.id).from_bot[-1].text


@pytest.mark.telegrams_own
async def test_both_accounts_of_a_person_have_one_memory(steward: Steward) -> None:
    telegram = steward.telegram
    other = telegram.person(45, "Ann at work")
    work = telegram.private_chat(other)
    steward.script(text("The parrot is green."))
    await steward.start()
    steward.say("/link 42 telegram:45")
    await steward.sees("from now on")
    telegram.say(other, "Keep this about the parrot")
    await said(steward, work, "The parrot is green.")
    await steward.eventually(lambda: indexed(steward, 1))
    steward.script(text("Green, as ever."))
    steward.say("What colour has the parrot?")
    await steward.sees("Green, as ever.")
    assert "The parrot is green." in words_in(steward.model.requests[-1])
    telegram.say(other, "/memory parrot")
    await said(steward, work, "→ The parrot is green.")
    telegram.say(other, "/forget all")
    await said(steward, work, "I cannot bring it back")
    ask = next(m for m in telegram.screen(work.id).from_bot if "bring it back" in m.text)
    steward.press(ask, "🗑 Erase", other)
    await said(steward, work, "Erased.")
    steward.say("/memory parrot")
    await steward.sees("I remember nothing about parrot")
    assert steward.records.rows("SELECT 1 FROM passage WHERE answer LIKE '%parrot%'") == []


@pytest.mark.telegrams_own
async def test_the_memory_of_a_group_goes_along_when_its_id_changes(steward: Steward) -> None:
    steward.foreseen.append("group chat was upgraded")
    telegram = steward.telegram
    team = telegram.group("Team", steward.ann, kind="group")
    steward.script(text("The parrot of the team is red."))
    await steward.start()
    telegram.say(steward.ann, "@steward_bot keep this about the parrot", chat=team)
    await said(steward, team, "The parrot of the team is red.")
    await steward.eventually(lambda: indexed(steward, 1))
    new = telegram.upgrade(team, steward.ann)
    groups = f"SELECT count(*) FROM chat WHERE address LIKE '%{new.id}%'"
    await steward.eventually(lambda: steward.records.rows(groups) == [(1,)])
    telegram.say(steward.ann, "/new@steward_bot", chat=new)
    await said(steward, new, "fresh start")
    steward.script(text("Red it is."))
    telegram.say(steward.ann, "@steward_bot what colour has the parrot?", chat=new)
    await said(steward, new, "Red it is.")
    assert "The parrot of the team is red." in words_in(steward.model.requests[-1])
    telegram.say(steward.ann, "/memory@steward_bot parrot", chat=new)
    await said(steward, new, "→ The parrot of the team is red.")


def _forgotten_as_before_the_memory(steward: Steward) -> None:
    """Leaves what the upgrade makes of a database that has talk and never had a memory."""
    with closing(sqlite3.connect(steward.records.path)) as connection, connection:
        for table in ("passage", "passage_words", "past"):
            connection.execute(f"DELETE FROM {table}")


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
    await steward.sees("Memory: 4 answers")
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
        "person": "telegram:43",
    },
    {
        "id": "3",
        "at": "2025-05-06T10:00:00Z",
        "question": "Where is the drum?",
        "answer": "The drum is in the hall.",
        "chat": "telegram:TEAM",
    },
]


@pytest.mark.telegrams_own
@pytest.mark.parametrize("running", [True, False])
async def test_imported_answers_come_back_to_their_person_and_their_group(
    steward: Steward, running: bool
) -> None:
    telegram = steward.telegram
    bob = telegram.person(43, "Bob")
    private, team = telegram.private_chat(bob), telegram.group("Team", steward.ann, bob)
    steward.script(text("Hello, Ann."), text("Hello, Bob."), text("Hello, team."))
    await steward.start(STEWARD_ALLOWED="telegram:43")
    steward.say("Hi")
    await steward.sees("Hello, Ann.")
    telegram.say(bob, "Hi")
    await said(steward, private, "Hello, Bob.")
    telegram.say(bob, "@steward_bot hi", chat=team)
    await said(steward, team, "Hello, team.")
    await steward.recorded()
    if not running:
        await steward.kill()
    file = steward.folder / "old.jsonl"
    lines = [json.dumps(line).replace("TEAM", str(team.id)) for line in LINES]
    file.write_text("\n".join(lines))
    assert await steward.exit_code("memory", "import", str(file)) == 0
    assert "Answers read: 3. New: 3." in steward.output
    if not running:
        await steward.start()
    hers = telegram.private_chat(steward.ann, started=False)
    for own, (chat, asker) in enumerate(((hers, steward.ann), (private, bob), (team, bob))):
        for asked, line in enumerate(LINES):
            reply = f"So {own}{asked}."
            steward.script(text(reply))
            name = "@steward_bot " if chat is team else ""
            telegram.say(asker, f"{name}{line['question']}", chat=chat)
            await said(steward, chat, reply)
        whole = str(steward.model.requests[-1].body)
        assert [line["answer"] in whole for line in LINES] == [n == own for n in range(3)]
