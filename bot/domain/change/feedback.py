"""Writes of opinions about answers."""

from dataclasses import dataclass
from typing import TypeAlias

from bot.domain.talk.feedback import Feedback, Opinion


@dataclass(frozen=True, slots=True)
class SaveFeedback:
    """Stores what a person thinks of an answer, in place of what they thought before."""

    feedback: Feedback


@dataclass(frozen=True, slots=True)
class DropFeedback:
    """Removes what a person thought of an answer, if it still is this verdict."""

    turn: str
    person: int
    verdict: Opinion


FeedbackWrite: TypeAlias = SaveFeedback | DropFeedback
