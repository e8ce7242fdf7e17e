"""A person talks to it on Telegram and on Discord, and is one person on both."""

from collections.abc import AsyncIterator
from typing import Any

import pytest

from tests.e2e.on_discord import OnDiscord, on_discord
from tests.e2e.steward import Steward
from tests.standins.messages_api import calls, text, tool
from tests.words import ALWAYS, FOR_GOOD, OVER_PERSON, SAME_PERSON, TOGETHER

pytestmark = pytest.mark.discords_own("both platforms at once")

NUTS = "Bob eats no nuts."
NOTE = {"path": "note.txt", "content": "no nuts"}
OWNED = (
    ("turn", "asker"),
    ("task", "asker"),
    ("rule", "person"),
    ("usage", "person"),
    ("note", "person"),
    ("passage", "person"),
)


@pytest.fixture
async def both(steward: Steward) -> AsyncIterator[OnDiscord]:
    async with on_discord(steward) as found:
        yield found


def notes_in(request: Any) -> bool:
    return NUTS in str(request.body["messages"])


async def test_memory_rights_and_budget_follow_a_person_to_the_other_platform(
    both: OnDiscord,
) -> None:
    steward = both.steward
    bob = steward.person(43, "Bob")
    same = both.discord.person(700_000_000_000_000_043, "Bob")
    steward.script(
        calls(tool("remember", {"note": NUTS})),
        text("I will."),
        calls(tool("run_command", {"command": "ls"})),
        text("I may not."),
    )
    await both.start(STEWARD_OWNERS="telegram:42", STEWARD_ALLOWED="telegram:43")
    steward.say("No nuts for me", by=bob)
    await steward.sees("I will.", at=bob)
    steward.say("/rights 43 commands off")
    await steward.sees("commands off")
    steward.say(f"/link 43 discord:{same.id}")
    await steward.sees(f"discord:{same.id} is now a second account of Bob")
    both.discord.say(same, "List my files")
    await both.until(lambda: [m for m in both.discord.screen(same) if "I may not." in m.text])
    assert notes_in(steward.model.requests[-1])
    assert "policy" in str(steward.records.results)
    steward.say("/budget person 0.001")
    await steward.sees("$0.001")
    both.discord.say(same, "And now?")
    await both.until(lambda: [m for m in both.discord.screen(same) if OVER_PERSON in m.text])
    assert len(steward.model.requests) == 4


async def a_life(both: OnDiscord) -> None:
    """Lets Ann have a note, a standing rule and a task on Discord, and an answer on Telegram."""
    steward = both.steward
    steward.script(
        *(calls(tool("remember", {"note": NUTS})), text("I will.")),
        *(calls(tool("write_file", NOTE)), text("Written.")),
        text("Hello."),
    )
    await both.start(STEWARD_ALLOWED="telegram:43")
    both.say("No nuts for Bob")
    await both.sees("I will.")
    both.say("Note it")
    card = await both.card(ALWAYS)
    both.press(card, next(label for label in card.labels if label.startswith(ALWAYS)))
    await both.sees("Written.")
    both.say("/schedule every 2h | The weather, please")
    await both.sees("⏰ Scheduled.")
    steward.say("Hello")
    await steward.sees("Hello.")


async def test_accounts_that_both_were_used_are_joined_by_a_button(both: OnDiscord) -> None:
    steward, mine = both.steward, f"discord:{both.ann.id}"
    await a_life(both)
    spent = dict(steward.records.rows("SELECT person, sum(cost) FROM usage GROUP BY person"))
    bob = steward.person(43, "Bob")
    steward.say(f"/link 42 {mine} join", by=bob)
    await steward.sees("Only an owner can use /link.", at=bob)
    steward.say(f"/link telegram:42 {mine}")
    asked = await steward.sees(FOR_GOOD)
    assert steward.records.rows("SELECT count(DISTINCT person) FROM account") == [(3,)]
    steward.press(asked, TOGETHER)
    await steward.sees(f"{mine} is now a second account of Ann: {SAME_PERSON}")
    await steward.recorded()
    await both.restart()
    ((ann,),) = steward.records.rows("SELECT person FROM account WHERE key = ?", mine)
    for table, column in OWNED:
        rows = steward.records.rows(f"SELECT DISTINCT {column} FROM {table}")
        assert rows == [(ann,)], table
    steward.script(text("Here."), calls(tool("write_file", NOTE)), text("And there."))
    steward.say("What do I know of Bob?")
    await steward.sees("Here.")
    both.say("Note it again")
    await both.sees("And there.")
    assert [notes_in(request) for request in steward.model.requests[-3:]] == [True] * 3
    both.say("/tasks")
    assert "every 2h" in (await both.sees("The tasks of this chat")).text
    theirs = sum(cost for person, cost in spent.items() if person != ann)
    await over_the_budget_of_both(both, theirs)


async def over_the_budget_of_both(both: OnDiscord, theirs: int) -> None:
    """A budget that neither account has used up alone is used up by both."""
    steward = both.steward
    ((whole,),) = steward.records.rows("SELECT sum(cost) FROM usage")
    steward.say(f"/budget person {max(theirs, whole - theirs) / 1e9:.6f}")
    await steward.sees("a day from now on")
    both.say("And now?")
    await both.until(lambda: [m for m in both.shown if OVER_PERSON in m.text])
