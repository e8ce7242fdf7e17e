"""Writes of passages and notes."""

from dataclasses import dataclass
from typing import TypeAlias

from bot.domain.memory.note import Note
from bot.domain.memory.passage import Passage


@dataclass(frozen=True, slots=True)
class KeepPassage:
    """Remembers a settled answer, which the indexes are owed from then on; each id once."""

    passage: Passage


@dataclass(frozen=True, slots=True)
class AddNote:
    """Stores a note; one with the same id stays as it is."""

    note: Note


@dataclass(frozen=True, slots=True)
class DropNote:
    """Removes a note, with the passage by which it was found."""

    id: str


@dataclass(frozen=True, slots=True)
class ReadPast:
    """Notes that the talk from before the memory is read up to this conversation, or to its end.

    Answers that were erased while it was read are not remembered.
    """

    conversation: str
    ended: bool = False


@dataclass(frozen=True, slots=True)
class DropPassage:
    """Takes an answer out of the memory, which a conversation took out of view; the log stays.

    An answer that a branch or the parent still shows is remembered.
    """

    id: str
    conversation: str


MemoryWrite: TypeAlias = KeepPassage | AddNote | DropNote | ReadPast | DropPassage
