"""Writes of calls of hooks."""

from dataclasses import dataclass
from datetime import datetime
from typing import TypeAlias

from bot.domain.assignments.hook import HookCall, HookPace


@dataclass(frozen=True, slots=True)
class AddHookCall:
    """Writes an accepted call down; Conflict when its hook has a call with its key.

    A key of a call before `since` is free again. Crowded when as many calls came as may come, on
    all processes together.
    """

    call: HookCall
    since: datetime
    pace: HookPace | None = None
    """The bounds; None for none."""


@dataclass(frozen=True, slots=True)
class EndTries:
    """Ends the calls of hooks in a chat that wait for another try."""

    chat: int
    why: str


@dataclass(frozen=True, slots=True)
class SaveHookCall:
    """Moves the run of a call on; Conflict when it is not at the expected try."""

    call: HookCall
    expect: int | None = None
    """The try that it has failed; None when its own turn moves it."""


HookWrite: TypeAlias = AddHookCall | EndTries | SaveHookCall
