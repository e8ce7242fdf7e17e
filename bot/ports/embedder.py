"""The embedder: turns texts into vectors, so that texts of like meaning lie near each other."""

from collections.abc import Sequence
from typing import Protocol

from bot.domain.meaning import Vector


class Embedder(Protocol):
    """A model that embeds texts, or a server of one."""

    @property
    def name(self) -> str:
        """The name of the model: vectors of another one cannot be compared."""
        ...

    async def vectors(self, texts: Sequence[str]) -> Sequence[Vector]:
        """Returns a vector for each text, all of one size; raises an EmbedderError.

        A text may have up to `MOST_BYTES`; a model that takes less gets its beginning.
        """
        ...

    async def close(self) -> None: ...
