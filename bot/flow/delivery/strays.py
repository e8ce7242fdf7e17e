"""Growing messages that may stand on the screen though nobody knows their ids."""

from collections import Counter
from collections.abc import Generator
from contextlib import contextmanager
from datetime import datetime

from bot.domain.talk.errors import ChannelError

_OF_AN_EARLIER_RUN = -1


class Strays:
    """Tells of each turn if one may stand, as far as this run of the program knows.

    A message is in doubt from the beginning of its sending until its id is recorded, or until it is
    sure that nothing was sent. When the turn ends before that, a search for the message is owed,
    and the outbox has a row for it.
    """

    def __init__(self) -> None:
        self._since: dict[str, dict[int, datetime]] = {}
        self._sending: Counter[str] = Counter()
        self._owed: set[str] = set()

    def doubt(self, turn: str, since: datetime) -> None:
        """Notes that an earlier run of the program may have sent one of the turn."""
        self._since.setdefault(turn, {})[_OF_AN_EARLIER_RUN] = since

    @contextmanager
    def sending(self, turn: str, number: int, at: datetime) -> Generator[None]:
        """Doubts a message that is sent, and whose id is recorded, in this block.

        Afterwards it stays in doubt if the sending neither succeeded nor was refused.
        """
        self._since.setdefault(turn, {}).setdefault(number, at)
        self._sending[turn] += 1
        try:
            yield
        except ChannelError as fault:
            if not fault.maybe_done:
                self._settle(turn, number)
            raise
        else:
            self._settle(turn, number)
        finally:
            self._sending[turn] -= 1
            self._sending += Counter()

    def _settle(self, turn: str, number: int) -> None:
        doubts = self._since.get(turn, {})
        doubts.pop(number, None)
        if not doubts:
            self._since.pop(turn, None)

    def since(self, turn: str) -> datetime | None:
        """Returns the time since when a message of the turn may stand; None when none does."""
        return min(self._since.get(turn, {}).values(), default=None)

    def owe(self, turn: str) -> None:
        """Notes that a search for a message of the turn is owed."""
        self._owed.add(turn)

    def looked(self, turn: str) -> None:
        """Notes the end of a search: what it did not find does not stand."""
        self._since.pop(turn, None)
        self._owed.discard(turn)

    def under_way(self, turn: str) -> bool:
        """Returns True while a message of the turn is being sent: soon its id is known."""
        return turn in self._sending

    def cleared_up(self, turn: str) -> bool:
        """Returns True when a search is owed, and is not needed any more."""
        return turn in self._owed and turn not in self._since
