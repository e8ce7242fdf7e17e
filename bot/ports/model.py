"""A language model."""

from collections.abc import AsyncGenerator, Sequence
from typing import Protocol

from bot.domain.money.model import ModelProfile
from bot.domain.turn.view import ModelEvent, ModelRequest


class Model(Protocol):
    def profile(self, name: str) -> ModelProfile:
        """Returns the profile of a model; an unknown name gets cautious defaults."""
        ...

    async def check(self, name: str) -> None:
        """Raises NoSuchModel when the provider has no model of this name.

        Raises another ModelError when the provider does not tell.
        """
        ...

    async def models(self) -> Sequence[str]:
        """Returns the names of the provider's models; raises a ModelError without a list."""
        ...

    def reply(self, request: ModelRequest) -> AsyncGenerator[ModelEvent]:
        """Streams text as it comes and ends with exactly one ModelReply, or raises a ModelError."""
        ...
