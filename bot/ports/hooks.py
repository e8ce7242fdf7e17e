"""Hooks as the operator wrote them, and the calls that came."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Protocol, TypeAlias

from bot.domain.assignments.hook import BrokenHook, Hook, HookCall

HookSet: TypeAlias = Mapping[str, Hook | BrokenHook]
"""The hooks by name, with the broken ones."""


class Hooks(Protocol):
    @property
    def known(self) -> HookSet: ...


class HookCalls(Protocol):
    async def get(self, hook: str, id: str) -> HookCall | None:
        """Returns a call of this hook."""
        ...

    async def keyed(self, hook: str, key: str, since: datetime) -> HookCall | None:
        """Returns the call that came with a key since a moment."""
        ...

    async def sealed(self, seal: str, since: datetime) -> HookCall | None:
        """Returns the call of any hook that came with this signature since a moment."""
        ...

    async def of_turn(self, turn: str) -> HookCall | None:
        """Returns the call that a turn carries out."""
        ...

    async def last(self, hooks: Sequence[str]) -> Mapping[str, HookCall]:
        """Returns the newest call of each of these hooks."""
        ...


class CallTimes(Protocol):
    """Calls whose next try has come."""

    async def again(self, now: datetime, limit: int) -> Sequence[HookCall]:
        """Returns calls with a failed run whose next try has come."""
        ...

    async def next_try(self) -> datetime | None:
        """Returns the first time at which another try is due; None without any."""
        ...


class WholeHookCalls(HookCalls, CallTimes, Protocol):
    """All of these, as the store has them."""
