"""Writes of calls of hooks."""

from datetime import datetime
from typing import TypeAlias

from bot.domain.assignments.hook import HookCall, HookPace
from bot.domain.value import frozen


@frozen
class AddHookCall:
    """Writes an accepted call down; Conflict when its hook has a call with its key.

    A key of a call before `since` is free again. Crowded when as many calls came as may come, on
    all processes together.
    """

    call: HookCall
    since: datetime
    pace: HookPace | None = None
    """The bounds; None for none."""


@frozen
class EndTries:
    """Ends the calls of hooks in a chat that wait for another try."""

    chat: int
    why: str


@frozen
class SaveHookCall:
    """Moves the run of a call on; Conflict when it is not at the expected try."""

    call: HookCall
    expect: int | None = None
    """The try that it has failed; None when its own turn moves it."""


HookWrite: TypeAlias = AddHookCall | EndTries | SaveHookCall
