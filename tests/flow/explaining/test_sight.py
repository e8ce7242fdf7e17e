"""What a turn had in view, as people are told it."""

from dataclasses import replace

from bot.domain.talk.chat import Chat
from bot.domain.talk.message import Address
from bot.domain.turn.transcript import AskerBody, SkillBody
from bot.flow.explaining.sight import sight_of
from tests.contracts.store_samples import a_turn, an_entry


def test_a_skill_that_ended_with_an_earlier_answer_is_not_named() -> None:
    chat = Chat(1, Address("telegram", "42"), "talk")
    earlier = SkillBody("minutes-review", "Check the minutes.", after="meeting-minutes")
    log = [
        an_entry(chat, 1, AskerBody("minutes, please", "Ann"), "turn-0"),
        an_entry(chat, 2, earlier, "turn-0"),
        an_entry(chat, 3, AskerBody("remind me", "Ann")),
    ]
    later = a_turn(chat)
    assert sight_of(later, log).skill == ""
    assert sight_of(replace(later, skill="tea"), log).skill == "tea"
