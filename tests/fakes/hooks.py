"""Hooks in memory, and the proof of somebody who knows their secret."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from bot.domain.assignments.hook import OWNER, BrokenHook, Hook
from bot.domain.assignments.hook_proof import proof_headers

_SECRET = "a-secret-of-some-length"


@dataclass
class FakeHooks:
    known: dict[str, Hook | BrokenHook] = field(default_factory=dict[str, Hook | BrokenHook])

    def add(self, name: str, words: str) -> None:
        """Adds a hook of the owner that asks by cards."""
        self.known[name] = Hook(name, OWNER, OWNER, words, "HOOK_SECRET", _SECRET)

    def proof(self, name: str, body: bytes, now: datetime, key: str = "") -> Mapping[str, str]:
        """Returns the headers of a caller who knows the secret."""
        hook = self.known[name]
        assert isinstance(hook, Hook)
        return {**proof_headers(hook, body, now), hook.key_header: key}
