"""What one person sends keeps nobody else waiting, and nothing of it is lost or done twice."""

from typing import Any

from tests.e2e.steward import Steward
from tests.standins.messages_api import text

EVERY_MESSAGE = "I answer every message"


def answers(steward: Steward, team: Any) -> list[str]:
    return [message.text for message in steward.screen(team)]


async def test_a_command_that_hangs_delays_only_what_came_behind_it_in_its_chat(
    steward: Steward,
) -> None:
    bob = steward.person(43, "Bob")
    # The platform is asked who runs it.
    team = steward.team(runner=bob, hears=True)
    steward.script(text("Good morning, Ann."), text("Noon, Bob."))
    asking = steward.way.hold_member()
    await steward.start(STEWARD_ALLOWED=steward.account(bob))
    steward.order("/activation always", by=bob, at=team)
    await asking.arrived()
    steward.say("when is lunch?", by=bob, at=team)
    steward.say("Hello")
    await steward.sees("Good morning, Ann.")
    assert answers(steward, team) == []
    asking.release()
    await steward.sees("Noon, Bob.", at=team)
    command, answer = answers(steward, team)
    assert EVERY_MESSAGE in command
    assert answer == "Noon, Bob."


async def test_killed_while_a_command_hangs_everything_is_done_once(steward: Steward) -> None:
    bob = steward.person(43, "Bob")
    team = steward.team(runner=bob, hears=True)
    steward.script(text("Good morning, Ann."), text("Noon, Bob."))
    asking = steward.way.hold_member()
    await steward.start(STEWARD_ALLOWED=steward.account(bob))
    steward.order("/activation always", by=bob, at=team)
    await asking.arrived()
    steward.say("when is lunch?", by=bob, at=team)
    steward.say("Hello")
    await steward.sees("Good morning, Ann.")
    await steward.recorded()
    await steward.restart()
    asking.release()
    await steward.sees("Noon, Bob.", at=team)
    command, answer = answers(steward, team)
    assert EVERY_MESSAGE in command
    assert answer == "Noon, Bob."
    assert len(steward.showing("Good morning, Ann.")) == 1
    assert len(steward.model.requests) == 2
