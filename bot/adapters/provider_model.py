"""The half of a provider's models that is the same for every wire: key, connection, JSON."""

import asyncio
import json
import re
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from types import TracebackType
from typing import Any, ClassVar, Generic, Protocol, Self, TypeVar

from bot.domain.memory.memo import Memo
from bot.domain.money.model import ModelProfile
from bot.domain.money.provider import ProviderSpec
from bot.domain.money.traits import Traits
from bot.domain.talk.errors import SettingError
from bot.domain.talk.limits import ModelTimes
from bot.domain.tools.tool import ToolCall, ToolSpec
from bot.domain.turn.transcript import TextPart
from bot.domain.turn.view import ViewMessage, ViewPart

KEPT_BYTES = 8_000_000
"""Bytes of encoded pieces that a memory of them keeps."""

_ILLEGAL_NAME = re.compile(r"[^a-zA-Z0-9_-]")


class Closing(Protocol):
    """Anything that can be closed."""

    def close(self) -> Awaitable[None]: ...


ConnectionT = TypeVar("ConnectionT", bound=Closing)


def check_key(spec: ProviderSpec, *, needed: bool = False) -> None:
    """Raises SettingError for a key that no header can carry."""
    if not all("!" <= character <= "~" for character in spec.key) or (needed and not spec.key):
        raise SettingError(f"{spec.key_name or spec.name} holds a character that no key has")


class ProviderModel(ABC, Generic[ConnectionT]):
    """Enter it before the first call, leave it to close the connection; it retries nothing.

    `traits` are what is known of models, by their whole name. `window` (tokens) replaces the window
    of every profile.
    """

    needs_key: ClassVar[bool] = False

    def __init__(
        self,
        spec: ProviderSpec,
        *,
        times: ModelTimes | None = None,
        window: int | None = None,
        traits: Mapping[str, Traits] | None = None,
    ) -> None:
        check_key(spec, needed=self.needs_key)
        self._spec = spec
        self._times = times or ModelTimes()
        self._window = window
        self._traits = traits
        self._opening = asyncio.Lock()
        self._connection: ConnectionT | None = None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Closes the connection if it was opened; the next call opens another one."""
        async with self._opening:
            if self._connection is not None:
                await self._connection.close()
                self._connection = None

    def _seen(self, known: ModelProfile) -> ModelProfile:
        """Returns the profile with the window that the operator set."""
        return known if self._window is None else replace(known, window=self._window)

    async def warm(self) -> None:
        """Loads the SDK in a thread, so that the first call does not wait for it."""
        await self._opened()

    async def _opened(self) -> ConnectionT:
        async with self._opening:
            if self._connection is None:
                self._connection = await asyncio.to_thread(self._connect)
            return self._connection

    @abstractmethod
    def _connect(self) -> ConnectionT:
        """Opens a connection, once; it may load a library that takes a second."""


class PieceEncoder:
    """Writes requests; parts that an earlier request had are not encoded again."""

    def __init__(
        self, message: Callable[[ViewMessage], bytes], tool: Callable[[ToolSpec], bytes]
    ) -> None:
        self._message = Memo(message, KEPT_BYTES)
        self._tool = Memo(tool, KEPT_BYTES)


def piece(value: Mapping[str, Any]) -> bytes:
    """Returns JSON as UTF-8; lone surrogates, illegal in JSON, become `?`."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode(errors="replace")


def legal_name(call: ToolCall, longest: int) -> str:
    """Returns the name of the called tool in letters that every provider takes."""
    return _ILLEGAL_NAME.sub("_", call.written_name)[:longest] or "unknown"


def speaks(part: ViewPart) -> bool:
    """Returns True for words; blank ones are refused by providers."""
    return isinstance(part, TextPart) and bool(part.text.strip())
