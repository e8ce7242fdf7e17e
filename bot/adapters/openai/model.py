"""A model of OpenAI, or of any server that speaks like it.

It speaks Chat Completions, and the Responses API where OpenAI may search the web for the reply.
"""

import logging
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING

from bot.adapters.openai.faults import OutputSpent
from bot.adapters.openai.model_list import learnt
from bot.adapters.openai.reply_builder import ReplyBuilder
from bot.adapters.openai.request_body import RequestEncoder
from bot.adapters.openai.responses_body import ResponsesEncoder
from bot.adapters.openai.responses_reply import ResponsesBuilder
from bot.adapters.provider_model import ProviderModel
from bot.domain.money.model import FinishReason, ModelProfile, Usage
from bot.domain.money.traits import Traits
from bot.domain.talk.errors import ModelError, NoSuchModel
from bot.domain.turn.view import ModelEvent, ModelReply, ModelRequest, TextDelta

if TYPE_CHECKING:
    from bot.adapters.openai.connection import Connection

_LOG = logging.getLogger(__name__)

_WINDOW = 32_000
"""Tokens that a model is taken to see when nobody tells: enough for a turn, and rarely too many."""

_MAX_OUTPUT = 4_000
_UNKNOWN = Traits()


class OpenAIModel(ProviderModel["Connection"]):
    """The port `Model` for one server, whose own list fills what `traits` leave open."""

    _learnt: Mapping[str, Traits] = MappingProxyType({})

    @cached_property
    def _encoder(self) -> RequestEncoder:
        return RequestEncoder(self._spec)

    @cached_property
    def _searching_encoder(self) -> ResponsesEncoder:
        return ResponsesEncoder()

    async def learn(self) -> None:
        """Reads the server's list of models; a server without one changes nothing."""
        try:
            await self.models()
        except ModelError as fault:
            _LOG.info("%s has no list of models to learn from (%s)", self._spec.name, fault)

    async def models(self) -> Sequence[str]:
        """Returns the names of the server's models, and keeps what its list tells of them."""
        connection = await self._opened()
        listed = await connection.models()
        self._learnt = {name: learnt(entry) for name, entry in listed.items()}
        return tuple(listed)

    def profile(self, name: str) -> ModelProfile:
        spec = self._spec
        careful = ModelProfile(
            spec.name, name, _WINDOW, _MAX_OUTPUT, sees=False, thinks=False, trusted=spec.trusted
        )
        told = (self._traits or {}).get(f"{spec.name}/{name}", _UNKNOWN)
        return self._seen(told.over(self._learnt.get(name, _UNKNOWN)).on(careful))

    async def check(self, name: str) -> None:
        """Raises a ModelError unless the server accepts the key and lists the model."""
        names = await self.models()
        if names and not {name, f"models/{name}", f"{name}:latest"} & set(names):
            raise NoSuchModel(f"404: the server has no model {name}")

    async def reply(self, request: ModelRequest) -> AsyncGenerator[ModelEvent]:
        connection = await self._opened()
        # Only this API searches the web, and only this provider has it.
        searches = any(spec.hosted for spec in request.tools)
        builder = ResponsesBuilder(request) if searches else ReplyBuilder(request)
        encoder = self._searching_encoder if searches else self._encoder
        path = "/responses" if searches else "/chat/completions"
        try:
            async with aclosing(connection.events(encoder.encode(request), path)) as events:
                async for data in events:
                    words = builder.feed(data)
                    if words:
                        yield TextDelta(words)
        except OutputSpent:
            yield ModelReply((), FinishReason.LENGTH, request.profile.name, Usage())
            return
        yield builder.reply()

    def _connect(self) -> "Connection":
        # Importing the SDK takes most of a second; receiving messages does not need it.
        from bot.adapters.openai.connection import Connection

        return Connection(self._spec, self._times)
