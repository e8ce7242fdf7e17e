"""Writes of the log, and of the texts and rounds that belong to it."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, TypeAlias

from bot.domain.change.erasing import Target
from bot.domain.turn.transcript import Entry
from bot.domain.value import frozen


@frozen
class Append:
    """Adds entries to the log of a chat; their numbers follow the last one without a gap."""

    chat: int
    entries: tuple[Entry, ...]


@frozen
class AddArtifact:
    """The whole of a text of which the log holds a preview."""

    id: str
    chat: int
    text: str
    turn: str = ""
    """The turn that it belongs to."""


@frozen
class AddVerdict:
    """One round's record: the step taken, its reason, and what the view builder changed."""

    turn: str
    round: int
    at: datetime
    details: Mapping[str, Any]


@frozen
class Erase:
    """Takes the words out of everything that was said, and forgets its passages.

    Rows, numbers and the pairing of calls stay. The chat gets a cut, and its owner is replaced:
    whoever owns it next reads the log again. Turns that are under way stay as they are.
    """

    target: Target


LogWrite: TypeAlias = Append | AddArtifact | AddVerdict | Erase
