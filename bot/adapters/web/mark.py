"""The mark of a page: which rows of a chat it has, so that it gets each change once."""

import re
from collections.abc import Collection, Mapping

from bot.domain.value import field, frozen

_PAIR = r"[0-9]{1,18}:[0-9]{1,10}"
_PAIRS = rf"{_PAIR}(?:\.{_PAIR})*"
_MARK = re.compile(rf"([0-9]{{1,18}})\.([0-9]{{1,18}})(?:\.({_PAIRS}))?(?:~({_PAIRS}))?")
_LONGEST = 4_000


@frozen
class Mark:
    """The newest row of the inbox and of the outbox that a page has.

    `versions` names the messages of the outbox of which it has another version than one should
    think: the first of those up to `shown`, and none of later ones. It names open cards and plans,
    too, since these may change when they are no new messages any more. `waits` names the messages
    of the inbox that wait on it for their turn, each with a number made of its words.
    """

    said: int = 0
    shown: int = 0
    versions: Mapping[int, int] = field(default_factory=dict[int, int])
    waits: Mapping[int, int] = field(default_factory=dict[int, int])

    @classmethod
    def read(cls, text: str) -> "Mark | None":
        """Reads the id of an event; None for other words."""
        match = _MARK.fullmatch(text) if len(text) <= _LONGEST else None
        if match is None:
            return None
        return cls(int(match[1]), int(match[2]), _read(match[3]), _read(match[4]))

    def __str__(self) -> str:
        versions, waits = _told(self.versions), _told(self.waits)
        shown = f".{versions}" if versions else ""
        return f"{self.said}.{self.shown}{shown}{'~' if waits else ''}{waits}"

    def version(self, id: int) -> int:
        """Returns the version of a message of the outbox that the page has; 0 for none."""
        return self.versions.get(id, 1 if id <= self.shown else 0)

    def with_said(self, id: int, newest: int, waits: int) -> "Mark":
        """Returns the mark with a message; `newest` is the row of its newest words."""
        others = {one: n for one, n in self.waits.items() if one != id}
        left = {**others, id: waits} if waits else others
        return Mark(max(self.said, newest), self.shown, self.versions, left)

    def with_shown(self, id: int, version: int) -> "Mark":
        return Mark(self.said, self.shown, {**self.versions, id: version}, self.waits)

    def settled(self, window: Mapping[int, int], asking: Collection[int] = ()) -> "Mark":
        """Returns the same mark in few words: `window` has the messages that are looked at.

        Those among them that are `asking` are looked at again however old they are.
        """
        shown = max([self.shown, *window])
        has = {id: self.version(id) for id in window}
        told = {id: n for id, n in has.items() if n != 1 or id in asking}
        return Mark(self.said, shown, told, self.waits)


def _read(text: str | None) -> Mapping[int, int]:
    pairs = (one.split(":") for one in text.split(".")) if text else ()
    return {int(id): int(n) for id, n in pairs}


def _told(numbers: Mapping[int, int]) -> str:
    return ".".join(f"{id}:{n}" for id, n in sorted(numbers.items()))
