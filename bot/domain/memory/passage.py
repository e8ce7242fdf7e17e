"""A passage: one question and its settled answer, as they are remembered."""

from datetime import datetime
from typing import TypeAlias

from bot.domain.talk.chat import Chat
from bot.domain.value import frozen

Whose: TypeAlias = str
"""The owner of passages and notes: `p<number>` is a person, `c<number>` a group's chat."""

MOST_QUESTION = 4_000
"""Characters of a person's words that are kept; the log has the whole."""

MOST_ANSWER = 16_000
"""Characters of an answer that are kept; the log has the whole."""

NOBODY = "erased"
"""The provider of an erased reply: no model takes it for its own, so nothing is sent as it was."""

UNREMEMBERED = frozenset({"demo", NOBODY})
"""The providers whose answers are never kept: the demo model answers nothing that is true."""


@frozen
class Passage:
    id: str
    """The id of the turn, or of a line that was imported."""
    whose: Whose
    """The person whose private chats it comes from, or the group's chat."""
    at: datetime
    """The time at which the answer was settled."""
    question: str
    """The words of the person."""
    answer: str
    """The answer, without tool noise and earlier stages."""
    person: int
    """The person who asked."""
    speaker: str = ""
    """The name of that person."""
    chat: int | None = None
    """The chat it was said in; None when it was imported."""
    conversation: str = ""
    """The conversation it was said in; neighbours share it."""
    skill: str | None = None
    """The skill that was in use."""
    untrusted: str | None = None
    """The source of foreign content that the model saw; None when there was none."""
    origins: str = ""
    """The sites and servers that all of it comes from, each a line; empty where any is unnamed."""
    number: int = 0
    """Grows with each passage that is kept."""


@frozen
class Hit:
    """A passage that fits a search."""

    id: str
    score: float
    """Grows with the fit; only comparable within one search."""
    share: float
    """The part of the search's meaning that the passage covers, from 0 to 1."""
    at: datetime
    """The time of the passage."""


def whose(chat: Chat, person: int) -> Whose:
    """Returns the owner of what a person says in a chat."""
    return of_person(person) if chat.private else of_group(chat.id)


def of_person(person: int) -> Whose:
    return f"p{person}"


def of_group(chat: int) -> Whose:
    return f"c{chat}"


def person_of(owner: Whose) -> int | None:
    """Returns the person that an owner is; None for a group."""
    return int(owner[1:]) if owner.startswith("p") else None


def group_of(owner: Whose) -> int | None:
    """Returns the chat of the group that an owner is; None for a person."""
    return int(owner[1:]) if owner.startswith("c") else None


def clipped_words(text: str, most: int) -> str:
    """Returns the beginning of a text, cut at a word, with a mark where it was cut."""
    text = text.strip()
    if len(text) <= most:
        return text
    head = text[: most - 1]
    return f"{head.rpartition(' ')[0] or head}…"
