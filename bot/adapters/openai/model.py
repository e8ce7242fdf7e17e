"""A model behind Chat Completions: OpenAI's own, or any server that speaks like it."""

import logging
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import replace
from types import TracebackType
from typing import TYPE_CHECKING, Self

from bot.adapters.late_connection import LateConnection
from bot.adapters.openai.faults import OutputSpent
from bot.adapters.openai.model_list import learnt
from bot.adapters.openai.reply_builder import ReplyBuilder
from bot.adapters.openai.request_body import RequestEncoder
from bot.domain.money.model import FinishReason, ModelProfile, Usage
from bot.domain.money.provider import ProviderSpec
from bot.domain.money.traits import Traits
from bot.domain.talk.errors import ModelError, NoSuchModel, SettingError
from bot.domain.talk.limits import ModelTimes
from bot.domain.turn.view import ModelEvent, ModelReply, ModelRequest, TextDelta

if TYPE_CHECKING:
    from bot.adapters.openai.connection import Connection

_LOG = logging.getLogger(__name__)

_WINDOW = 32_000
"""Tokens that a model is taken to see when nobody tells: enough for a turn, and rarely too many."""

_MAX_OUTPUT = 4_000
_UNKNOWN = Traits()


class OpenAIModel:
    """The port `Model` for one server; enter it before the first call, leave it to close it.

    `traits` are what is known of models by their whole name; the server's own list fills what they
    leave open. `window` (tokens) replaces the window of every profile. This class retries nothing.
    """

    def __init__(
        self,
        spec: ProviderSpec,
        *,
        times: ModelTimes | None = None,
        window: int | None = None,
        traits: Mapping[str, Traits] | None = None,
    ) -> None:
        if not all("!" <= character <= "~" for character in spec.key):
            raise SettingError(f"{spec.key_name or spec.name} holds a character that no key has")
        self._spec = spec
        self._times = times or ModelTimes()
        self._window = window
        self._traits = traits or {}
        self._learnt: Mapping[str, Traits] = {}
        self._encoder = RequestEncoder(spec)
        self._connection = LateConnection(self._connect)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self._connection.close()

    async def warm(self) -> None:
        """Loads the SDK in a thread, so that the first call does not wait for it."""
        await self._connection.opened()

    async def learn(self) -> None:
        """Reads the server's list of models; a server without one changes nothing."""
        try:
            await self.models()
        except ModelError as fault:
            _LOG.info("%s has no list of models to learn from (%s)", self._spec.name, fault)

    async def models(self) -> Sequence[str]:
        """Returns the names of the server's models, and keeps what its list tells of them."""
        connection = await self._connection.opened()
        listed = await connection.models()
        self._learnt = {name: learnt(entry) for name, entry in listed.items()}
        return tuple(listed)

    def profile(self, name: str) -> ModelProfile:
        spec = self._spec
        careful = ModelProfile(
            spec.name,
            name,
            _WINDOW,
            _MAX_OUTPUT,
            sees=False,
            thinks=False,
            trusted=spec.trusted,
        )
        told = self._traits.get(f"{spec.name}/{name}", _UNKNOWN)
        known = told.over(self._learnt.get(name, _UNKNOWN)).on(careful)
        return known if self._window is None else replace(known, window=self._window)

    async def check(self, name: str) -> None:
        """Raises a ModelError unless the server accepts the key and lists the model."""
        names = await self.models()
        if names and not {name, f"models/{name}", f"{name}:latest"} & set(names):
            raise NoSuchModel(f"404: the server has no model {name}")

    async def reply(self, request: ModelRequest) -> AsyncGenerator[ModelEvent]:
        connection = await self._connection.opened()
        builder = ReplyBuilder(request)
        try:
            body = self._encoder.encode(request)
            async with aclosing(connection.events(body)) as events:
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
