"""An owner lets the bot leave a group to which somebody else added it."""

import pytest

from tests.e2e.steward import Steward


@pytest.mark.telegrams_own("who adds a bot to a group")
async def test_an_owner_lets_the_bot_leave_over_a_death_and_nobody_else_may(
    steward: Steward,
) -> None:
    telegram = steward.telegram
    eve = telegram.person(44, "Eve")
    steward.foreseen.append("bot is not a member")
    await steward.start()
    team = telegram.group("Team", eve)
    told = await steward.sees("“Eve” (telegram:44) added me to the group “Team”.")
    await steward.recorded()
    await steward.restart()
    pressed = steward.press(told, "🚪 Leave it")
    assert await steward.answered(pressed) == "🚪 I have left it."
    left = await steward.sees("🚪 I have left it.")
    assert left.id == told.id
    assert left.labels == []
    assert telegram.bot.id not in team.members
    again = telegram.press(steward.ann, told, told.buttons[0][0].data or "", forged=True)
    await steward.answered(again)
    assert len(steward.showing("🚪 I have left it.")) == 1


@pytest.mark.telegrams_own("who adds a bot to a group")
async def test_an_owner_who_added_the_bot_is_not_asked_to_let_it_leave(steward: Steward) -> None:
    await steward.start()
    steward.telegram.group("Team", steward.ann)
    told = await steward.sees("I am in the group “Team” now.")
    assert told.labels == []
