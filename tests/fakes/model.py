"""Models that follow a script, which has to be used up, or a rule."""

import asyncio
import json
from collections import deque
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from types import TracebackType
from typing import Any, Self, TypeAlias

from bot.domain.money.model import FinishReason, ModelProfile, Price, Usage
from bot.domain.talk.errors import ModelError, ModelUnreachable, NoSuchModel
from bot.domain.tools.tool import ToolCall
from bot.domain.turn.transcript import CallPart, TextPart
from bot.domain.turn.view import ModelEvent, ModelReply, ModelRequest, TextDelta


def price(asked: str, written: str, read: str, kept: str) -> Price:
    """A price, from the dollars for a million tokens in, out, read from a cache, written to it."""
    return Price(Decimal(asked), Decimal(written), Decimal(read), Decimal(kept))


PROFILE = ModelProfile(
    "fake", "fake", window=200_000, max_output=8_000, price=price("1", "5", "0.1", "1.25")
)
USAGE = Usage(input=10, output=5)


class Gate:
    """Holds one step of the script until the test lets it go on, behind words if there are any."""

    def __init__(self, said: str = "") -> None:
        self.said = said
        self._reached = asyncio.Event()
        self._opened = asyncio.Event()

    async def reached(self) -> None:
        """Waits until the model stands at the gate."""
        await self._reached.wait()

    def open(self) -> None:
        self._opened.set()

    async def passed(self) -> None:
        self._reached.set()
        await self._opened.wait()


@dataclass(frozen=True, slots=True)
class Torn:
    """A reply that breaks off after this text."""

    text: str
    fault: ModelError


Step: TypeAlias = ModelReply | ModelError | Torn | Gate | Callable[[ModelRequest], ModelReply]
"""A reply, a fault, a torn reply, a reply made from the request, or a gate before the next step."""


class Listing:
    """The list of a fake provider; without `listed` it tells nothing."""

    listed: Sequence[str] | None = None

    async def check(self, name: str) -> None:
        if name not in await self.models():
            raise NoSuchModel(f"404: no model {name}")

    async def models(self) -> Sequence[str]:
        if self.listed is None:
            raise ModelUnreachable("there is no list")
        return self.listed


class ScriptedModel(Listing):
    """The port `Model` by script; `requests` holds every request it was given.

    Used as a context manager it fails at the end when steps are left over.
    """

    def __init__(self, *steps: Step, profile: ModelProfile = PROFILE) -> None:
        self._steps = deque(steps)
        self._profile = profile
        self.requests: list[ModelRequest] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if error is None:
            self.assert_exhausted()

    def add(self, *steps: Step) -> None:
        self._steps.extend(steps)

    def drop_rest(self) -> None:
        """Drops the steps that a test expects nobody to use."""
        self._steps.clear()

    def assert_exhausted(self) -> None:
        assert not self._steps, f"{len(self._steps)} scripted steps were never used"

    def profile(self, name: str) -> ModelProfile:
        return replace(self._profile, name=name)

    async def reply(self, request: ModelRequest) -> AsyncGenerator[ModelEvent]:
        self.requests.append(request)
        step = self._next()
        while isinstance(step, Gate):
            if step.said:
                yield TextDelta(step.said)
            await step.passed()
            step = self._next()
        if isinstance(step, Torn):
            yield TextDelta(step.text)
            raise step.fault
        if isinstance(step, ModelError):
            raise step
        reply = step if isinstance(step, ModelReply) else step(request)
        for part in reply.parts:
            if isinstance(part, TextPart):
                for word in part.text.splitlines(keepends=True):
                    yield TextDelta(word)
        yield reply

    def _next(self) -> Step:
        assert self._steps, f"the script holds no step for request {len(self.requests)}"
        return self._steps.popleft()


class RuledModel(Listing):
    """The port `Model` by a rule, which sees the request and how many there were by then.

    It may be asked any number of times, as by one life of the program after another.
    """

    def __init__(self, rule: Callable[[ModelRequest, int], ModelReply]) -> None:
        self._rule = rule
        self.requests: list[ModelRequest] = []

    def profile(self, name: str) -> ModelProfile:
        return replace(PROFILE, name=name)

    async def reply(self, request: ModelRequest) -> AsyncGenerator[ModelEvent]:
        self.requests.append(request)
        yield self._rule(request, len(self.requests))


def says(text: str, finish: FinishReason = FinishReason.END, usage: Usage = USAGE) -> ModelReply:
    """A reply of words alone."""
    return ModelReply((TextPart(text),), finish, PROFILE.name, usage)


def calls(
    *called: ToolCall, text: str = "", finish: FinishReason = FinishReason.CALLS
) -> ModelReply:
    """A reply that calls tools, with words before the calls if there are any."""
    words = (TextPart(text),) if text else ()
    return ModelReply((*words, *map(CallPart, called)), finish, PROFILE.name, USAGE)


def call(id: str, name: str, arguments: Mapping[str, Any] | None = None) -> ToolCall:
    """One call with arguments in order."""
    given = dict(arguments or {})
    return ToolCall(id, name, json.dumps(given), given)


def broken_call(id: str, name: str, text: str, fault: str) -> ToolCall:
    """A call whose argument text is no JSON object."""
    return ToolCall(id, name, text, None, fault)


def nothing(finish: FinishReason = FinishReason.END) -> ModelReply:
    """A reply without any content."""
    return ModelReply((), finish, PROFILE.name, USAGE)
