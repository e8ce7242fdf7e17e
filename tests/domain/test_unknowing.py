"""Answers that say only that something is not known."""

import pytest

from bot.domain.memory.unknowing import says_unknown


@pytest.mark.parametrize(
    "answer",
    [
        "I don't know.",
        "I do not know what your dog is called.",
        "Sorry, I don’t have any information about that.",
        "You haven't told me that yet. Shall I note it?",
        "You never mentioned a dog.",
        "I'm not sure what colour it is.",
        "I have no record of that.",
        "Das weiß ich leider nicht.",
        "Ich weiß es nicht.",
        "No lo sé.",
        "Je ne sais pas.",
        "我不知道。",
    ],
)
def test_an_answer_that_knows_nothing_is_no_evidence(answer: str) -> None:
    assert says_unknown(answer)


@pytest.mark.parametrize(
    "answer",
    [
        "Your dog is called Rex.",
        "You never mentioned a dog, but your cat is called Tom.",
        "It is blue. I don't know more.",
        "I don't have to remind you: the taxes are due on 31 July.",
        "I don't know. " + "Here is all that can be found about the village. " * 20,
        "",
    ],
)
def test_an_answer_that_tells_something_is_evidence(answer: str) -> None:
    assert not says_unknown(answer)
