"""A model whose calls are counted by their end."""

from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing

from bot.domain.money.model import ModelProfile
from bot.domain.talk.errors import ModelError
from bot.domain.turn.view import ModelEvent, ModelReply, ModelRequest
from bot.ports.model import Model


class CountedModel:
    """Passes everything on to a model; `called` takes its name, and how a call ended."""

    def __init__(self, model: Model, provider: str, called: Callable[[str, str], None]) -> None:
        self._model = model
        self._provider = provider
        self._called = called

    def profile(self, name: str) -> ModelProfile:
        return self._model.profile(name)

    async def check(self, name: str) -> None:
        await self._model.check(name)

    async def models(self) -> Sequence[str]:
        return await self._model.models()

    async def reply(self, request: ModelRequest) -> AsyncGenerator[ModelEvent]:
        how = "broken_off"
        try:
            async with aclosing(self._model.reply(request)) as events:
                async for event in events:
                    # Nobody asks for more behind the reply.
                    how = "ok" if isinstance(event, ModelReply) else how
                    yield event
        except ModelError as fault:
            how = fault.trouble.value
            raise
        finally:
            self._called(f"{self._provider}/{request.profile.name}", how)
