"""Speaks by `/audio/speech` of OpenAI, or of any server that speaks like it."""

import asyncio
import logging
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from decimal import Decimal
from typing import TYPE_CHECKING

from bot.adapters.provider_model import check_key
from bot.domain.money.provider import ProviderSpec
from bot.domain.money.trouble import Trouble
from bot.domain.talk.errors import (
    ModelDenied,
    ModelError,
    ModelOverloaded,
    ModelUnreachable,
    NoSuchModel,
)
from bot.domain.talk.limits import ModelTimes
from bot.domain.value import frozen

if TYPE_CHECKING:
    from bot.adapters.openai.connection import Connection

_LOG = logging.getLogger(__name__)
_WHO = "the service that speaks"


@frozen
class SpeakingAccess:
    """The way to a service; the address of `spec` goes up to and with `/v1`."""

    spec: ProviderSpec
    model: str
    voice: str
    price: Decimal | None = None
    """Dollars for a million characters."""
    seconds: float = 60.0
    """Seconds that one answer may take to be spoken."""
    most_bytes: int = 20_000_000
    """Bytes of a recording at most; five minutes of speech take two million."""


class EndpointSpeaking:
    """The port `Speaking`; each answer has a connection of its own, as they are rare.

    This class retries nothing.
    """

    def __init__(self, access: SpeakingAccess) -> None:
        check_key(access.spec)
        self._access = access

    @property
    def model(self) -> str:
        return f"speak/{self._access.model}"

    @property
    def price(self) -> Decimal | None:
        return self._access.price

    async def speak(self, words: str) -> bytes:
        access = self._access
        try:
            async with self._connected() as connection:
                return await connection.speech(words, access.model, access.voice, access.most_bytes)
        except ModelError as fault:
            _LOG.info("the service that speaks said: %s", fault)
            raise self._told(fault) from None

    def _told(self, fault: ModelError) -> ModelError:
        """Returns a fault of the same kind whose text is half a sentence for people."""
        match fault:
            case NoSuchModel():
                return ModelDenied(f"{_WHO} has no model {self._access.model}", Trouble.MODEL)
            case ModelDenied() if fault.trouble is Trouble.CREDIT:
                return ModelDenied(f"the account of {_WHO} is empty", Trouble.CREDIT)
            case ModelDenied() if fault.trouble is Trouble.MODEL:
                return ModelDenied(f"{_WHO} is not at this address", Trouble.MODEL)
            case ModelDenied():
                name = self._access.spec.key_name
                return ModelDenied(f"{_WHO} refuses the key, {name}", Trouble.KEY, name)
            case ModelOverloaded():
                return ModelOverloaded(f"{_WHO} takes no more requests for now", fault.retry_after)
            case ModelUnreachable():
                return ModelUnreachable(f"{_WHO} did not answer")
            case _:
                return ModelError(f"{_WHO} does not take this text or this voice")

    @asynccontextmanager
    async def _connected(self) -> "AsyncGenerator[Connection]":
        # Importing the SDK and reading the certificates takes a while, and nobody may wait for it.
        connection = await asyncio.to_thread(self._connect)
        try:
            yield connection
        finally:
            await connection.close()

    def _connect(self) -> "Connection":
        from bot.adapters.openai.connection import Connection

        return Connection(self._access.spec, ModelTimes(call_seconds=self._access.seconds))
