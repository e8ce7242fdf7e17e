"""The real process before a Bot API that counts: nobody is refused for sending too much."""

import pytest

from tests.e2e.steward import Steward
from tests.standins.bot_api import Rates
from tests.standins.messages_api import text

pytestmark = pytest.mark.alone

_PEOPLE = range(1000, 1099)


async def test_a_hundred_chats_are_answered_without_one_refusal(steward: Steward) -> None:
    telegram = steward.telegram
    telegram.rates = Rates()
    people = [steward.ann, *(telegram.person(number) for number in _PEOPLE)]
    steward.script(*[text("An answer.")] * len(people))
    allowed = ",".join(f"telegram:{number}" for number in _PEOPLE)
    await steward.start(STEWARD_ALLOWED=allowed, STEWARD_SEND_RATES="chat=1,group=20/min,all=30")
    for person in people:
        telegram.private_chat(person)
        telegram.say(person, "Hello")
    await steward.until(
        lambda: all(
            [message.text for message in telegram.screen(person.id).from_bot] == ["An answer."]
            for person in people
        ),
        within=60,
    )
    assert telegram.floods == 0
