"""Writes of passages and notes."""

from typing import TypeAlias

from bot.domain.memory.note import Note
from bot.domain.memory.passage import Passage
from bot.domain.value import frozen


@frozen
class KeepPassage:
    """Remembers a settled answer, which the indexes are owed from then on; each id once."""

    passage: Passage


@frozen
class AddNote:
    """Stores a note; one with the same id stays as it is."""

    note: Note


@frozen
class DropNote:
    """Removes a note, with the passage by which it was found."""

    id: str


@frozen
class ReadPast:
    """Notes that the talk from before the memory is read up to this conversation, or to its end.

    Answers that were erased while it was read are not remembered.
    """

    conversation: str
    ended: bool = False


@frozen
class DropPassage:
    """Takes an answer out of the memory, which a conversation took out of view; the log stays.

    An answer that a branch or the parent still shows is remembered.
    """

    id: str
    conversation: str


MemoryWrite: TypeAlias = KeepPassage | AddNote | DropNote | ReadPast | DropPassage
