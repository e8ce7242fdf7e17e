"""Claude as a model, over the Messages API."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from functools import cached_property
from typing import TYPE_CHECKING

from bot.adapters.anthropic import profiles
from bot.adapters.anthropic.reply_builder import ReplyBuilder
from bot.adapters.anthropic.request_body import RequestEncoder
from bot.adapters.provider_model import ProviderModel
from bot.domain.money.model import ModelProfile
from bot.domain.turn.view import ModelEvent, ModelRequest, TextDelta

if TYPE_CHECKING:
    from bot.adapters.anthropic.connection import Connection


class AnthropicModel(ProviderModel["Connection"]):
    """The port `Model` for Claude; without `traits` it knows what comes with the program."""

    needs_key = True

    @cached_property
    def _encoder(self) -> RequestEncoder:
        return RequestEncoder()

    async def learn(self) -> None:
        """Changes nothing: the list tells names alone."""

    def profile(self, name: str) -> ModelProfile:
        return self._seen(profiles.profile(name, self._traits))

    async def check(self, name: str) -> None:
        """Raises a ModelError unless the provider accepts the key and knows the model."""
        connection = await self._opened()
        await connection.check(name)

    async def models(self) -> Sequence[str]:
        """Returns the names of the provider's models, as far as the key may use them."""
        connection = await self._opened()
        return await connection.models()

    async def reply(self, request: ModelRequest) -> AsyncGenerator[ModelEvent]:
        connection = await self._opened()
        builder = ReplyBuilder(request)
        async with aclosing(connection.events(self._encoder.encode(request))) as events:
            async for data in events:
                words = builder.feed(data)
                if words:
                    yield TextDelta(words)
        yield builder.reply()

    def _connect(self) -> "Connection":
        # Importing the SDK takes most of a second and 70 MB; receiving messages needs neither.
        from bot.adapters.anthropic.connection import Connection

        return Connection(self._spec, self._times)
