"""Writes of opinions about answers."""

from typing import TypeAlias

from bot.domain.talk.feedback import Feedback, Opinion
from bot.domain.value import frozen


@frozen
class SaveFeedback:
    """Stores what a person thinks of an answer, in place of what they thought before."""

    feedback: Feedback


@frozen
class DropFeedback:
    """Removes what a person thought of an answer, if it still is this verdict."""

    turn: str
    person: int
    verdict: Opinion


FeedbackWrite: TypeAlias = SaveFeedback | DropFeedback
