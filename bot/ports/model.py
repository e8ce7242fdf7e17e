"""A language model."""

from collections.abc import AsyncGenerator
from typing import Protocol

from bot.domain.model import ModelProfile
from bot.domain.view import ModelEvent, ModelRequest


class Model(Protocol):
    def profile(self, name: str) -> ModelProfile:
        """Returns the profile of a model; an unknown name gets cautious defaults."""
        ...

    def reply(self, request: ModelRequest) -> AsyncGenerator[ModelEvent]:
        """Streams text as it comes and ends with exactly one ModelReply, or raises a ModelError."""
        ...
