"""A person talks to it on Telegram and on Discord, and is one person on both."""

from collections.abc import AsyncIterator
from typing import Any

import pytest

from tests.e2e.on_discord import OnDiscord, on_discord
from tests.e2e.steward import Steward
from tests.standins.messages_api import calls, text, tool
from tests.words import OVER_PERSON

pytestmark = pytest.mark.discords_own("both platforms at once")

NUTS = "Bob eats no nuts."


@pytest.fixture
async def both(steward: Steward) -> AsyncIterator[OnDiscord]:
    async with on_discord(steward) as found:
        found.foreseen.append("Unknown Emoji")
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


async def test_accounts_that_both_were_used_are_joined_by_taking_one_back_first(
    both: OnDiscord,
) -> None:
    steward = both.steward
    steward.script(calls(tool("remember", {"note": NUTS})), text("I will."), text("Hello."))
    await both.start()
    both.say("No nuts for Bob")
    await both.sees("I will.")
    steward.say("Hello")
    await steward.sees("Hello.")
    mine = f"discord:{both.ann.id}"
    steward.say(f"/link telegram:42 {mine}")
    await steward.sees(f"/revoke {mine} first")
    steward.say(f"/revoke {mine}")
    await steward.sees("can no longer use me")
    steward.say(f"/link telegram:42 {mine}")
    await steward.sees(f"{mine} is now a second account of Ann")
    await steward.recorded()
    await both.restart()
    steward.script(text("Here."), text("And there."))
    steward.say("What do I know of Bob?")
    await steward.sees("Here.")
    both.say("And here?")
    await both.sees("And there.")
    assert [notes_in(request) for request in steward.model.requests[-2:]] == [True, True]
    assert steward.records.rows("SELECT count(DISTINCT person) FROM account") == [(1,)]
