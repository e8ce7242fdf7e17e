"""Calls models: tries again after a fault that may pass, and raises any other fault at once."""

import logging
import random
from collections.abc import Callable, Mapping

from bot.domain.budget import ModelTimes
from bot.domain.errors import ModelDenied, ModelOverloaded, ModelUnreachable
from bot.domain.model import ModelProfile
from bot.domain.view import ModelReply, ModelRequest, TextDelta
from bot.ports.clock import Clock
from bot.ports.model import Model

_LOG = logging.getLogger(__name__)


class ModelCalls:
    """Calls the models of every provider, with the same retries for each."""

    def __init__(self, models: Mapping[str, Model], clock: Clock, times: ModelTimes) -> None:
        self._models = models
        self._clock = clock
        self._times = times

    def profile(self, key: str) -> ModelProfile:
        """Returns the profile of `provider/name`; raises ModelDenied for an unknown provider."""
        provider, _, name = key.partition("/")
        return self._model(provider).profile(name)

    def knows(self, key: str) -> bool:
        provider, _, name = key.partition("/")
        return provider in self._models and bool(name)

    @property
    def providers(self) -> tuple[str, ...]:
        return tuple(self._models)

    async def reply(self, request: ModelRequest, show: Callable[[str], None]) -> ModelReply:
        """Returns a whole reply; calls `show` with the text so far each time it grows."""
        attempt = 0
        while True:
            try:
                return await self._once(request, show)
            except (ModelOverloaded, ModelUnreachable) as fault:
                wish = getattr(fault, "retry_after", None) or 0.0
                # Waiting longer than a whole reply may take is not worth it: the caller can ask
                # another model.
                if attempt >= self._times.retries or wish > self._times.call_seconds:
                    raise
                wait = self._pause(attempt, wish)
                attempt += 1
                _LOG.warning("model call %d failed (%s), again in %.1f s", attempt, fault, wait)
            show("")
            await self._clock.sleep(wait)

    async def _once(self, request: ModelRequest, show: Callable[[str], None]) -> ModelReply:
        written = ""
        stream = self._model(request.profile.provider).reply(request)
        try:
            async for event in stream:
                match event:
                    case TextDelta(text):
                        written += text
                        show(written)
                    case ModelReply():
                        return event
        finally:
            await stream.aclose()
        raise ModelUnreachable("the stream ended without a reply")

    def _pause(self, attempt: int, wish: float) -> float:
        """Returns the seconds to wait: doubled each time, with jitter, at least `wish`."""
        times = self._times
        most = min(times.backoff_max_seconds, times.backoff_seconds * 2**attempt)
        jittered = most * random.uniform(0.5, 1.0)
        return max(jittered, wish)

    def _model(self, provider: str) -> Model:
        model = self._models.get(provider)
        if model is None:
            known = ", ".join(self._models)
            raise ModelDenied(f"no provider named {provider!r} is set up; there are: {known}")
        return model
