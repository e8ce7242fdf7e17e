"""Calls models: tries again after a fault that may pass, and raises any other fault at once."""

import logging
import random
from collections.abc import Awaitable, Callable, Mapping
from typing import TypeAlias

from bot.domain.money.budget import Cause
from bot.domain.money.model import ModelProfile
from bot.domain.money.trouble import Trouble
from bot.domain.talk.errors import ModelDenied, ModelError, ModelOverloaded, ModelUnreachable
from bot.domain.talk.limits import ModelTimes
from bot.domain.text.growing_text import GrowingText
from bot.domain.turn.view import ModelReply, ModelRequest, TextDelta
from bot.flow.models.breakers import Breakers
from bot.flow.money.receipt import PaidReply
from bot.flow.money.till import Till
from bot.ports.clock import Clock
from bot.ports.model import Model

_LOG = logging.getLogger(__name__)


Waits: TypeAlias = Callable[[ModelError, float], Awaitable[None]]
"""Takes a fault after which a call is tried again, and the seconds until then."""


async def _wait_untold(fault: ModelError, seconds: float) -> None:
    """Tells nobody."""


class ModelCalls:
    """Calls the models of every provider, with the same retries and the same till for each."""

    def __init__(
        self, models: Mapping[str, Model], till: Till, clock: Clock, times: ModelTimes
    ) -> None:
        self._models = models
        self._till = till
        self._clock = clock
        self._times = times
        self.breakers = Breakers(clock)

    def profile(self, key: str) -> ModelProfile:
        """Returns the profile of `provider/name`; raises ModelDenied for an unknown provider."""
        provider, _, name = key.partition("/")
        return self._model(provider).profile(name)

    def knows(self, key: str) -> bool:
        provider, _, name = key.partition("/")
        return provider in self._models and bool(name)

    def behind(self, key: str) -> Model:
        """Returns what answers for `provider/name`; raises ModelDenied for an unknown provider."""
        return self._model(key.partition("/")[0])

    @property
    def providers(self) -> tuple[str, ...]:
        return tuple(self._models)

    async def reply(
        self,
        request: ModelRequest,
        cause: Cause,
        show: Callable[[GrowingText], None],
        waits: Waits = _wait_untold,
    ) -> PaidReply:
        """Returns a whole reply; calls `show` with the text so far each time it grows.

        Before each pause, `waits` is told the fault and the length of the pause in seconds. Raises
        OverBudget when a budget does not allow the call.
        """
        model, price = request.profile.key, request.profile.price

        receipt = await self._till.opened(cause, model, price, request.estimate)

        def shown(text: GrowingText) -> None:
            receipt.heard(len(text))
            show(text)

        async def waited(fault: ModelError, seconds: float) -> None:
            receipt.tear()
            await waits(fault, seconds)

        try:
            reply = await self._guarded(request, shown, waited)
        except BaseException:
            await self._till.give_up(receipt)
            raise
        receipt.heard(len(reply.words))
        return PaidReply(reply, receipt.paid(reply.usage))

    async def _guarded(
        self, request: ModelRequest, show: Callable[[GrowingText], None], waits: Waits
    ) -> ModelReply:
        """Returns a reply, and lets the breaker of the model know how the call went."""
        model = request.profile.key
        self.breakers.begins(model)
        try:
            reply = await self._tried(request, show, waits)
        except (ModelOverloaded, ModelUnreachable, ModelDenied):
            self.breakers.failed(model)
            raise
        except BaseException:
            self.breakers.broken_off(model)
            raise
        self.breakers.served(model)
        return reply

    async def _tried(
        self, request: ModelRequest, show: Callable[[GrowingText], None], waits: Waits
    ) -> ModelReply:
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
                pausing = fault
            show(GrowingText())
            await waits(pausing, wait)
            await self._clock.sleep(wait)

    async def _once(self, request: ModelRequest, show: Callable[[GrowingText], None]) -> ModelReply:
        written = GrowingText()
        stream = self._model(request.profile.provider).reply(request)
        try:
            async for event in stream:
                match event:
                    case TextDelta(text):
                        written.add(text)
                        show(written)
                    case ModelReply():
                        return event
        except ModelError as fault:
            fault.streamed = str(written)
            raise
        finally:
            await stream.aclose()
        ended = ModelUnreachable("the stream ended without a reply")
        ended.streamed = str(written)
        raise ended

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
            told = f"no provider named {provider!r} is set up; there are: {known}"
            raise ModelDenied(told, Trouble.MODEL)
        return model
