"""A server over all its lives: started when needed, and started again once after it died."""

import asyncio
import logging
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from bot.adapters.mcp.life import Life
from bot.adapters.mcp.remote import (
    RemoteTool,
    ServerAnswer,
    ServerBarred,
    ServerGone,
    ServerLate,
    ServerUnheard,
)
from bot.domain.tools.server import ServerSpec

if TYPE_CHECKING:
    from bot.adapters.mcp.connection import Connection

_LOG = logging.getLogger(__name__)
_TRIES = 2
_LISTING_SECONDS = 15.0
_PROOF_SECONDS = 5.0


class Server:
    """One server; raises ServerGone, ServerRefused and TimeoutError; sends no call twice."""

    def __init__(self, spec: ServerSpec) -> None:
        self.spec = spec
        self._life: Life | None = None
        self._starting = asyncio.Lock()
        self._doubtful = False
        self._changed = False
        self._barred = ""

    @property
    def state(self) -> str:
        """The state in a few words, for people."""
        if self._life is None:
            return "not started yet"
        if not self._life.over:
            return "running" if self._life.begun else "starting"
        why = self._life.reason()
        return f"failed: {why}" if why else "resting until it is needed"

    @property
    def unused(self) -> float | None:
        """The seconds since its last call or start; None before its first start."""
        return None if self._life is None else self._life.unused

    @property
    def has_news(self) -> bool:
        """True when it runs and has said that its tools changed."""
        return self._changed and self._life is not None and self._life.begun

    async def tools(self) -> Sequence[RemoteTool]:
        """Returns the tools that it lists now; starts it."""
        connection = await self._connected()
        self._changed = False
        async with asyncio.timeout(_LISTING_SECONDS):
            return await connection.tools()

    async def call(self, tool: str, arguments: Mapping[str, Any]) -> ServerAnswer:
        """Makes one call; raises ServerGone with `sent` when nobody knows its outcome."""
        try:
            return await self._call(tool, arguments)
        except ServerUnheard as fault:
            _LOG.info("server %s is reached anew: %s", self.spec.name, fault)
            return await self._call(tool, arguments)

    async def _call(self, tool: str, arguments: Mapping[str, Any]) -> ServerAnswer:
        connection = await self._connected()
        life = self._life
        assert life is not None, "it was just connected"
        life.use()
        try:
            async with asyncio.timeout(self.spec.call_seconds):
                return await connection.call(tool, dict(arguments))
        except (TimeoutError, asyncio.CancelledError):
            # It was told to stop; the next call first checks that it still answers.
            self._doubtful = True
            raise
        finally:
            life.used()

    async def end(self) -> None:
        """Ends its present life, if any; a call may start another one."""
        life, self._life = self._life, None
        if life is not None:
            await life.end()

    def bar(self, why: str) -> None:
        """Forbids every further start, even by a call of a turn that still has its tools."""
        self._barred = why

    async def _connected(self) -> "Connection":
        """Returns a working connection; tries a failed start once more before it raises."""
        async with self._starting:
            if self._doubtful:
                await self._prove()
            for _ in range(_TRIES - 1):
                try:
                    return await (await self._living()).connection()
                except (ServerLate, ServerBarred):
                    raise
                except ServerGone as fault:
                    _LOG.info("server %s is started once more: %s", self.spec.name, fault)
            return await (await self._living()).connection()

    async def _living(self) -> Life:
        if self._life is not None and self._life.over:
            await self._life.end()
        if self._barred:
            raise ServerBarred(self._barred)
        if self._life is None or self._life.over:
            # Its listing may have changed: its program may have been replaced.
            self._changed = True
            self._life = Life(self.spec, self._news)
        return self._life

    async def _prove(self) -> None:
        """Ends a server that let a call time out and does not list its tools either."""
        self._doubtful = False
        life = self._life
        if life is None or not life.begun or life.busy:
            return
        try:
            async with asyncio.timeout(min(_PROOF_SECONDS, self.spec.call_seconds)):
                await (await life.connection()).tools()
        except (TimeoutError, ServerGone):
            _LOG.warning("server %s hangs: it is ended", self.spec.name)
            await self.end()

    def _news(self) -> None:
        self._changed = True
