"""Writes of errands."""

from typing import TypeAlias

from bot.domain.assignments.errand import Errand
from bot.domain.value import frozen


@frozen
class SaveErrand:
    """Inserts an errand (`expect` None) or moves it on; Conflict when its version is another one.

    With the first row its home belongs to the chat that shows what happens there.
    """

    errand: Errand
    expect: int | None = None
    recalls: bool = False
    """True when this write calls the errand back: its work is interrupted."""


ErrandWrite: TypeAlias = SaveErrand
