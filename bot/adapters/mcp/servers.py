"""All tool servers: the tools they offer to each chat, and their states."""

import asyncio
import logging
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Self

from bot.adapters.mcp.listing import Listings
from bot.adapters.mcp.remote import RemoteTool, ServerGone, ServerRefused
from bot.adapters.mcp.schema import Unfit
from bot.adapters.mcp.server import Server
from bot.adapters.mcp.starting import StartServer
from bot.adapters.mcp.tool import ServerTool
from bot.domain.talk.errors import ToolFailure
from bot.domain.text.visible_text import one_line, visible
from bot.domain.tools.server import ServerCondition, ServerSpec, without_secrets
from bot.ports.tool import Tool

_LOG = logging.getLogger(__name__)

MOST_TOOLS = 64
"""Tools of one server that are offered; providers accept 128 in all."""


_A_MOMENT = 1.0
"""Seconds that a turn waits for news of a server whose tools are known already."""

_SLACK = 5.0
"""Seconds that a turn waits after the start itself for a first listing or a fault."""

_RETRY_SECONDS = 60.0
"""Seconds after a failed start in which no turn tries again."""


_MET_AT_ONCE = 4
"""Servers that are started side by side behind the first poll; a turn starts the others itself."""


class _Known:
    """The knowledge of one server; `remote` is None until its first listing."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self.remote: tuple[RemoteTool, ...] | None = None
        self.tools: tuple[ServerTool, ...] = ()
        self.left_out: tuple[str, ...] = ()
        self.fault = ""
        self.failed_at: float | None = None
        self.listing: asyncio.Task[None] | None = None
        self.users: set[int] = set()

    async def take(self, remote: tuple[RemoteTool, ...], spool: Path) -> None:
        """Makes tools of a listing; an equal listing keeps the same objects."""
        if self.remote == remote:
            return
        # In a thread: checking schemas takes time, and loading the library takes more.
        self.tools, self.left_out = await asyncio.to_thread(self._made, remote, spool)
        self.remote = remote

    def _made(
        self, remote: tuple[RemoteTool, ...], spool: Path
    ) -> tuple[tuple[ServerTool, ...], tuple[str, ...]]:
        made: dict[str, ServerTool] = {}
        left_out: list[str] = []
        chosen = self.server.spec.tools
        for each in remote:
            if chosen is not None and each.name not in chosen:
                continue
            name = each.shown
            try:
                tool = ServerTool(self.server, each, spool)
            except Unfit as unfit:
                left_out.append(f"{name}: {unfit}")
                continue
            if tool.spec.name in made:
                left_out.append(f"{name}: it is listed twice")
            elif len(made) == MOST_TOOLS:
                left_out.append(f"{name}: more than {MOST_TOOLS} tools")
            else:
                made[tool.spec.name] = tool
        left_out.extend(_unchosen(self.server.spec, {each.name for each in remote}))
        return tuple(made.values()), tuple(left_out)

    def condition(self) -> ServerCondition:
        specs = tuple(tool.spec for tool in self.tools)
        state = f"failed: {self.fault}" if self.fault else self.server.state
        fault = "" if specs else self.fault
        spec, unused = self.server.spec, self.server.unused
        return ServerCondition(spec, state, specs, self.left_out, fault, unused)


class ToolServers:
    """The port `Servers`; `folder` keeps listings, `spool` files until they are delivered.

    A server is started by its first call, or earlier if nobody knows its tools yet.
    """

    def __init__(self, folder: Path, spool: Path) -> None:
        self._listings = Listings(folder)
        self._spool = spool
        self._known: dict[str, _Known] = {}
        self._starters: dict[str, StartServer] = {}
        self._meeting = asyncio.Lock()
        self._endings: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        for id in list(self._known):
            self._dismiss(id)
        if self._endings:
            await asyncio.wait(self._endings)

    async def tools(self, chat: int, wanted: Sequence[ServerSpec]) -> Sequence[Tool]:
        wanted = [spec for spec in wanted if not spec.fault]
        self._let_go(chat, {spec.identity for spec in wanted if spec.allowed})
        met = [await self._met(spec, chat) for spec in wanted if spec.allowed]
        await asyncio.gather(*(self._looked_at(known) for known in met))
        asking = [self._starter(spec) for spec in wanted if not spec.allowed]
        return (*(tool for known in met for tool in known.tools), *asking)

    async def meet(self, wanted: Sequence[ServerSpec]) -> None:
        at_once = asyncio.Semaphore(_MET_AT_ONCE)

        async def one(spec: ServerSpec) -> None:
            async with at_once:
                known = await self._met(spec, 0)
                if known.remote is None:
                    await self._looked_at(known)

        usable = [spec for spec in wanted if spec.allowed and not spec.fault]
        await asyncio.gather(*map(one, usable))

    async def condition(self, wanted: Sequence[ServerSpec]) -> Sequence[ServerCondition]:
        return [self._condition(spec) for spec in wanted]

    async def expel(self, identities: Collection[str]) -> None:
        for id in identities:
            if id in self._known:
                self._dismiss(id, "an owner has taken back that it was let in")

    def _condition(self, spec: ServerSpec) -> ServerCondition:
        if spec.fault:
            return ServerCondition(spec, f"cannot be used: {spec.fault}", fault=spec.fault)
        if not spec.allowed:
            asking = (self._starter(spec).spec,)
            return ServerCondition(spec, "waits for an owner to let it in", asking)
        known = self._known.get(spec.identity)
        return known.condition() if known is not None else ServerCondition(spec, "not started yet")

    def _starter(self, spec: ServerSpec) -> StartServer:
        """Returns the same object for the same server, so that surroundings stay the same."""
        return self._starters.setdefault(spec.identity, StartServer(spec))

    async def tried(self, spec: ServerSpec) -> ServerCondition:
        """Starts a server only to list its tools, then ends it; raises ToolFailure."""
        known = _Known(Server(spec))
        try:
            await known.take(tuple(await known.server.tools()), self._spool)
        except (ServerGone, ServerRefused, TimeoutError) as fault:
            raise ToolFailure(_told(fault, spec)) from None
        finally:
            await known.server.end()
        return known.condition()

    async def _met(self, spec: ServerSpec, chat: int) -> _Known:
        async with self._meeting:
            known = self._known.get(spec.identity)
            if known is not None and known.server.spec != spec:
                self._dismiss(spec.identity)
                known = None
            if known is None:
                known = _Known(Server(spec))
                listed = await asyncio.to_thread(self._listings.read, spec)
                if listed is not None:
                    await known.take(listed, self._spool)
                self._known[spec.identity] = known
        if spec.skill:
            known.users.add(chat)
        return known

    async def _looked_at(self, known: _Known) -> None:
        """Waits for a listing: for the first one as long as a start may take, else one second."""
        first = known.remote is None
        if known.listing is None or known.listing.done():
            if not (known.server.has_news or (first and self._may_try(known))):
                return
            name = f"listing of {known.server.spec.name}"
            known.listing = asyncio.create_task(self._list(known), name=name)
        patient = first and known.failed_at is None
        seconds = known.server.spec.start_seconds + _SLACK if patient else _A_MOMENT
        await asyncio.wait({known.listing}, timeout=seconds)

    def _may_try(self, known: _Known) -> bool:
        now = asyncio.get_running_loop().time()
        return known.failed_at is None or now - known.failed_at > _RETRY_SECONDS

    async def _list(self, known: _Known) -> None:
        spec = known.server.spec
        try:
            remote = tuple(await known.server.tools())
            if remote != known.remote:
                await known.take(remote, self._spool)
                await asyncio.to_thread(self._listings.keep, spec, remote)
            known.fault, known.failed_at = "", None
        except (ServerGone, ServerRefused, TimeoutError) as fault:
            known.fault = _told(fault, spec)
            known.failed_at = asyncio.get_running_loop().time()
            _LOG.warning("server %s cannot be listed: %s", spec.name, known.fault)
        except OSError as fault:
            _LOG.warning("the listing of %s is not kept: %s", spec.name, fault)

    def _let_go(self, chat: int, wanted: set[str]) -> None:
        """Ends servers of skills that no chat wants any more."""
        for id, known in list(self._known.items()):
            if known.server.spec.skill and id not in wanted and chat in known.users:
                known.users.discard(chat)
                if not known.users:
                    self._dismiss(id)

    def _dismiss(self, id: str, why: str = "it is not what it was at this turn's start") -> None:
        """Ends a server for good, because nobody would know of a life that began later."""
        known = self._known.pop(id)
        known.server.bar(why)
        ending = asyncio.create_task(_ended(known), name=f"end of {known.server.spec.name}")
        self._endings.add(ending)
        ending.add_done_callback(self._endings.discard)


def _unchosen(spec: ServerSpec, listed: set[str]) -> Iterator[str]:
    """Yields what the choice of the settings leaves out, and names in it that are not listed."""
    if spec.tools is not None and (others := len(listed - set(spec.tools))):
        yield f"{others} that `tools` in steward.toml does not name"
    for name in dict.fromkeys((*(spec.tools or ()), *spec.reads)):
        if name not in listed:
            yield f"{one_line(name, 80)}: steward.toml names it, and the server does not list it"


async def _ended(known: _Known) -> None:
    if known.listing is not None:
        known.listing.cancel()
        await asyncio.wait({known.listing})
    await known.server.end()


def _told(fault: Exception, spec: ServerSpec) -> str:
    why = str(fault) or "it does not answer in time"
    return visible(without_secrets(why, spec.secrets))
