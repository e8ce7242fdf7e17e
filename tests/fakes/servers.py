"""Tool servers in memory: their tools are what the test says they are."""

from collections.abc import Collection, Mapping, Sequence

from bot.domain.tools.server import ServerCondition, ServerSpec
from bot.ports.tool import Tool


class FakeServers:
    """The port `Servers`; `lent` can be changed while chats are at it.

    `faults` says why a server lends nothing. `asked` tells who asked, `expelled` what was ended by
    an owner's word.
    """

    def __init__(self, lent: Mapping[str, Sequence[Tool]] | None = None) -> None:
        self.lent: dict[str, Sequence[Tool]] = dict(lent or {})
        self.faults: dict[str, str] = {}
        self.asked: list[tuple[int, tuple[ServerSpec, ...]]] = []
        self.expelled: list[str] = []
        self.met: list[ServerSpec] = []

    async def tools(self, chat: int, wanted: Sequence[ServerSpec]) -> Sequence[Tool]:
        self.asked.append((chat, tuple(wanted)))
        return tuple(tool for spec in wanted for tool in self._lent(spec))

    def _lent(self, spec: ServerSpec) -> Sequence[Tool]:
        return () if spec.name in self.faults else self.lent.get(spec.name, ())

    async def meet(self, wanted: Sequence[ServerSpec]) -> None:
        self.met.extend(wanted)

    async def condition(self, wanted: Sequence[ServerSpec]) -> Sequence[ServerCondition]:
        return [self._condition(spec) for spec in wanted]

    def _condition(self, spec: ServerSpec) -> ServerCondition:
        fault = self.faults.get(spec.name, "")
        specs = tuple(tool.spec for tool in self._lent(spec))
        return ServerCondition(spec, f"failed: {fault}" if fault else "running", specs, fault=fault)

    async def expel(self, identities: Collection[str]) -> None:
        self.expelled.extend(identities)
