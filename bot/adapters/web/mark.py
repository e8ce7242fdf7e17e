"""The mark of a page: which rows of a chat it has, so that it gets each change once."""

import re
from collections.abc import Mapping

from bot.domain.value import field, frozen

_MARK = re.compile(r"([0-9]{1,18})\.([0-9]{1,18})((?:\.[0-9]{1,18}:[0-9]{1,9})*)")
_LONGEST = 4_000


@frozen
class Mark:
    """The newest row of the inbox and of the outbox that a page has.

    `versions` names the messages of the outbox of which it has another version than one should
    think: the first of those up to `shown`, and none of later ones.
    """

    said: int = 0
    shown: int = 0
    versions: Mapping[int, int] = field(default_factory=dict[int, int])

    @classmethod
    def read(cls, text: str) -> "Mark | None":
        """Reads the id of an event; None for other words."""
        match = _MARK.fullmatch(text) if len(text) <= _LONGEST else None
        if match is None:
            return None
        pairs = (one.split(":") for one in match[3].split(".") if one)
        return cls(int(match[1]), int(match[2]), {int(id): int(n) for id, n in pairs})

    def __str__(self) -> str:
        told = "".join(f".{id}:{version}" for id, version in sorted(self.versions.items()))
        return f"{self.said}.{self.shown}{told}"

    def version(self, id: int) -> int:
        """Returns the version of a message of the outbox that the page has; 0 for none."""
        return self.versions.get(id, 1 if id <= self.shown else 0)

    def with_said(self, id: int) -> "Mark":
        return Mark(max(self.said, id), self.shown, self.versions)

    def with_shown(self, id: int, version: int) -> "Mark":
        return Mark(self.said, self.shown, {**self.versions, id: version})

    def settled(self, window: Mapping[int, int]) -> "Mark":
        """Returns the same mark in few words: `window` has the messages that are looked at."""
        shown = max([self.shown, *window])
        has = {id: self.version(id) for id in window}
        return Mark(self.said, shown, {id: n for id, n in has.items() if n != 1})
