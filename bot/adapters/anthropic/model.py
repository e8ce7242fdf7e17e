"""Claude as a model, over the Messages API."""

from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import replace
from types import TracebackType
from typing import TYPE_CHECKING, Self

from bot.adapters.anthropic import profiles
from bot.adapters.anthropic.reply_builder import ReplyBuilder
from bot.adapters.anthropic.request_body import RequestEncoder
from bot.adapters.late_connection import LateConnection
from bot.domain.money.model import ModelProfile
from bot.domain.money.traits import Traits
from bot.domain.talk.errors import SettingError
from bot.domain.talk.limits import ModelTimes
from bot.domain.turn.view import ModelEvent, ModelRequest, TextDelta

if TYPE_CHECKING:
    from bot.adapters.anthropic.connection import Connection

BASE_URL = "https://api.anthropic.com"


class AnthropicModel:
    """The port `Model` for Claude; enter it before the first call, leave it to close the client.

    `window` (tokens) replaces the window of every profile. `traits` are what is known of models,
    by their whole name; without them it is what comes with the program. This class retries nothing.
    """

    def __init__(
        self,
        api_key: str,
        *,
        base_url: str | None = None,
        times: ModelTimes | None = None,
        window: int | None = None,
        traits: Mapping[str, Traits] | None = None,
    ) -> None:
        if not api_key or not all("!" <= character <= "~" for character in api_key):
            raise SettingError("ANTHROPIC_API_KEY holds a character that no key has")
        self._key = api_key
        self._base_url = base_url or BASE_URL
        self._times = times or ModelTimes()
        self._window = window
        self._traits = profiles.shipped_traits() if traits is None else traits
        self._encoder = RequestEncoder()
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

    def profile(self, name: str) -> ModelProfile:
        known = profiles.profile(name, self._traits)
        return known if self._window is None else replace(known, window=self._window)

    async def check(self, name: str) -> None:
        """Raises a ModelError unless the provider accepts the key and knows the model."""
        connection = await self._connection.opened()
        await connection.check(name)

    async def models(self) -> Sequence[str]:
        """Returns the names of the provider's models, as far as the key may use them."""
        connection = await self._connection.opened()
        return await connection.models()

    async def reply(self, request: ModelRequest) -> AsyncGenerator[ModelEvent]:
        connection = await self._connection.opened()
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

        return Connection(self._key, self._base_url, self._times)
