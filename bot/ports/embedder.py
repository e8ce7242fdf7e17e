"""The embedder: turns texts into vectors, so that texts of like meaning lie near each other."""

from collections.abc import Sequence
from typing import Protocol

from bot.domain.memory.meaning import Vector
from bot.domain.money.model import Price
from bot.domain.value import frozen


@frozen
class Embedded:
    """The answer to one call of an embedder."""

    vectors: Sequence[Vector]
    """One for each text, all of one size."""
    tokens: int = 0
    """The tokens that the service counted; 0 when it told none."""


class Embedder(Protocol):
    """A model that embeds texts, or a server of one."""

    @property
    def name(self) -> str:
        """The name of the model: vectors of another one cannot be compared."""
        ...

    @property
    def price(self) -> Price | None:
        """The price of its tokens; None when nobody told it."""
        ...

    @property
    def metered(self) -> bool:
        """False for a model in a process of our own, whose calls nobody counts."""
        ...

    async def embed(self, texts: Sequence[str]) -> Embedded:
        """Returns a vector for each text; raises an EmbedderError.

        A text may have up to `MOST_BYTES`; a model that takes less gets its beginning.
        """
        ...

    async def close(self) -> None: ...
