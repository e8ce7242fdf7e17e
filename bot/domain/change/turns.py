"""Writes of the row of a turn."""

from datetime import datetime
from typing import Literal, TypeAlias

from bot.domain.turn.turn import Turn, WaysOn
from bot.domain.value import frozen


@frozen
class SaveTurn:
    """Inserts or updates a turn's row, all but `stop_asked`: that is written by AskStop alone."""

    turn: Turn


@frozen
class CountStart:
    """Counts the present start of a running turn as failed, unless it makes progress yet.

    A turn that was held back has begun with it.
    """

    turn: str


@frozen
class EndRest:
    """Moves the next trial of a turn to another time; Conflict when it is not in this rest."""

    turn: str
    rest: int
    at: datetime


@frozen
class EndWays:
    """Ends the buttons below the end of a turn; Conflict when they are not open any more."""

    turn: str
    how: Literal[WaysOn.PRESSED, WaysOn.PAST]


@frozen
class AskStop:
    """Asks an unfinished turn of a chat to stop; a settled one is left alone."""

    turn: str
    how: str


TurnWrite: TypeAlias = SaveTurn | CountStart | EndRest | EndWays | AskStop
