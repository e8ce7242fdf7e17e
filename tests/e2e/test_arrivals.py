"""What one person sends keeps nobody else waiting, and nothing of it is lost or done twice."""

import pytest

from tests.e2e.steward import Steward
from tests.e2e.test_groups import sees, shown
from tests.standins.bot_api import Chat, Person
from tests.standins.messages_api import text

EVERY_MESSAGE = "I answer every message"


def team_of(steward: Steward) -> tuple[Person, Chat]:
    """A member, and the group that he owns: the platform is asked about that."""
    bob = steward.telegram.person(43, "Bob")
    team = steward.telegram.group("Team", steward.ann, creator=bob)
    # An administrator is told of messages that do not mention it.
    steward.telegram.promote_bot(team, bob)
    return bob, team


def answers(steward: Steward, group: Chat) -> list[str]:
    return [message.text for message in shown(steward, group)]


@pytest.mark.telegrams_own
async def test_a_command_that_hangs_delays_only_what_came_behind_it_in_its_chat(
    steward: Steward,
) -> None:
    bob, team = team_of(steward)
    steward.script(text("Good morning, Ann."), text("Noon, Bob."))
    asking = steward.telegram.hold("getChatMember")
    await steward.start(STEWARD_ALLOWED="telegram:43")
    steward.telegram.say(bob, "/activation@steward_bot always", chat=team)
    await asking.arrived()
    steward.telegram.say(bob, "when is lunch?", chat=team)
    steward.say("Hello")
    await steward.sees("Good morning, Ann.")
    assert answers(steward, team) == []
    asking.release()
    await sees(steward, team, "Noon, Bob.")
    command, answer = answers(steward, team)
    assert EVERY_MESSAGE in command
    assert answer == "Noon, Bob."


@pytest.mark.telegrams_own
async def test_killed_while_a_command_hangs_everything_is_done_once(steward: Steward) -> None:
    bob, team = team_of(steward)
    steward.script(text("Good morning, Ann."), text("Noon, Bob."))
    asking = steward.telegram.hold("getChatMember")
    await steward.start(STEWARD_ALLOWED="telegram:43")
    steward.telegram.say(bob, "/activation@steward_bot always", chat=team)
    await asking.arrived()
    steward.telegram.say(bob, "when is lunch?", chat=team)
    steward.say("Hello")
    await steward.sees("Good morning, Ann.")
    await steward.recorded()
    await steward.restart()
    asking.release()
    await sees(steward, team, "Noon, Bob.")
    command, answer = answers(steward, team)
    assert EVERY_MESSAGE in command
    assert answer == "Noon, Bob."
    assert len(steward.showing("Good morning, Ann.")) == 1
    assert len(steward.model.requests) == 2
