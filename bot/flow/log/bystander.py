"""A companion of a turn that adds nothing; others inherit from it and override a few hooks."""

from collections.abc import Mapping, Sequence

from bot.domain.change import Write
from bot.domain.loop.contribution import Aside, Briefing, Ended, Share, Stance
from bot.domain.loop.verdict import LoopState
from bot.domain.talk.bundle import Bundle
from bot.domain.tools.tool import Code, Preview, ToolCall, ToolResult
from bot.domain.turn.progress import OpenCall
from bot.domain.turn.step import Entrusted, Finish, Gate, Refuse
from bot.domain.turn.turn import Turn
from bot.flow.log.request_view import ViewFold
from bot.flow.log.work import Work
from bot.ports.journal import Agenda
from bot.ports.tool import Place, Tool


class Bystander:
    """Answers every hook of a companion with nothing; the Protocol in `turn` explains the hooks."""

    def worded(self, bundle: Bundle, agenda: Agenda) -> Bundle:
        return bundle

    def opens(self, bundle: Bundle) -> bool:
        return False

    async def opening(self, work: Work, row: Turn, agenda: Agenda) -> Share:
        return Share(row)

    async def taken_up(self, work: Work, row: Turn, agenda: Agenda) -> Share:
        return Share(row)

    async def started(self, work: Work) -> Sequence[str]:
        return ()

    def withheld(self, work: Work) -> frozenset[str]:
        return frozenset()

    async def state(self, work: Work, state: LoopState) -> LoopState:
        return state

    def stance(self, work: Work, call: OpenCall, tools: Mapping[str, Tool]) -> Stance | None:
        return None

    async def offered(
        self, work: Work, call: ToolCall, preview: Preview, place: Place, tools: Mapping[str, Tool]
    ) -> Preview:
        return preview

    def placed(self, work: Work, place: Place, call: ToolCall) -> Place:
        return place

    async def carry_out(
        self, work: Work, step: Entrusted, gates: Mapping[str, Gate], tools: Mapping[str, Tool]
    ) -> str | None:
        return None

    async def briefing(self, work: Work, view: ViewFold) -> Briefing:
        return Briefing()

    async def after_results(
        self, work: Work, row: Turn, ran: Sequence[tuple[ToolCall, ToolResult]]
    ) -> Share:
        return Share(row)

    def closes(self, work: Work, code: Code) -> Mapping[str, Refuse]:
        return {}

    async def parked(self, work: Work) -> Sequence[Write]:
        return ()

    async def ended(
        self, work: Work, finish: Finish, closed: Sequence[tuple[ToolCall, ToolResult]]
    ) -> Ended:
        return Ended()

    async def set_aside(self, work: Work) -> Aside:
        return Aside()
