"""Finds the hook that a caller may call; unknown names cost what a wrong proof costs."""

import secrets
from collections.abc import Mapping

from bot.domain.hook import Hook
from bot.domain.hook_proof import proven
from bot.ports.clock import Clock
from bot.ports.hooks import Hooks


class Proving:
    def __init__(self, hooks: Hooks, clock: Clock) -> None:
        self._hooks = hooks
        self._clock = clock
        self._nobody = Hook("", "", "", "", "", secrets.token_hex(32))

    def proven(self, name: str, headers: Mapping[str, str], content: bytes) -> Hook | None:
        """Returns the hook if the headers prove its secret for this content."""
        found = self._hooks.known.get(name)
        usable = isinstance(found, Hook) and bool(found.secret)
        hook = found if isinstance(found, Hook) and usable else self._nobody
        good = proven(hook, headers, content, self._clock.now())
        return hook if good and usable else None
