"""Finds the hook that a caller may call."""

from collections.abc import Mapping

from bot.domain.assignments.hook import Hook
from bot.domain.assignments.hook_proof import Purpose, may_be_proven, proven
from bot.ports.clock import Clock
from bot.ports.hooks import Hooks


class Proving:
    def __init__(self, hooks: Hooks, clock: Clock) -> None:
        self._hooks = hooks
        self._clock = clock

    def may_be_proven(self, name: str, headers: Mapping[str, str]) -> bool:
        """Returns True when a call of this hook with these headers is worth reading."""
        hook = self._usable(name)
        return hook is not None and may_be_proven(hook, headers, self._clock.now())

    def proven(
        self, name: str, headers: Mapping[str, str], content: bytes, purpose: Purpose = Purpose.CALL
    ) -> Hook | None:
        """Returns the hook if the headers prove its secret for this content and purpose."""
        hook = self._usable(name)
        good = hook is not None and proven(hook, headers, content, self._clock.now(), purpose)
        return hook if good else None

    def _usable(self, name: str) -> Hook | None:
        found = self._hooks.known.get(name)
        return found if isinstance(found, Hook) and found.secret else None
