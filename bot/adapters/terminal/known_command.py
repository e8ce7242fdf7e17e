"""A command that can be completed at the prompt."""

import re
from collections.abc import Sequence

from bot.domain.value import frozen

_OPEN = re.compile(r"<[^>]*>")
_BETWEEN = re.compile(r"[\s\[\]|]+")
_FIXED = re.compile(r"[a-z][a-z_-]+")


@frozen
class KnownCommand:
    """A command that can be completed."""

    name: str
    summary: str
    usage: str = ""

    @property
    def words(self) -> Sequence[str]:
        """Returns the words of the usage that are typed as they stand, each once."""
        words = _BETWEEN.split(_OPEN.sub(" ", self.usage))
        return tuple(dict.fromkeys(word for word in words if _FIXED.fullmatch(word)))
