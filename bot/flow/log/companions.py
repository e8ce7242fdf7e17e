"""All companions of turns, as one: it asks those that a turn concerns and joins their answers."""

from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from bot.domain.change import Write
from bot.domain.loop.contribution import Aside, Briefing, Ended, Share, Stance
from bot.domain.loop.verdict import LoopState
from bot.domain.plans.plan import Plan
from bot.domain.talk.bundle import Bundle
from bot.domain.tools.tool import Code, Preview, ToolCall
from bot.domain.turn.progress import OpenCall
from bot.domain.turn.step import Entrusted, Finish, Gate, Refuse
from bot.domain.turn.turn import Turn
from bot.flow.log.companion import Companion, Concern, Results, asked
from bot.flow.log.request_view import ViewFold
from bot.flow.log.work import Work
from bot.ports.journal import Agenda
from bot.ports.tool import Place, Tool

A = TypeVar("A")


class Companions:
    """Asks companions in their order, each at the moments for which it is registered."""

    def __init__(self, companions: Sequence[Companion]) -> None:
        def of(answer: Callable[[Companion], A | None]) -> list[tuple[Concern, A]]:
            found = ((one.concern, answer(one)) for one in companions)
            return [(concern, told) for concern, told in found if told is not None]

        self._worded = [one.worded for one in companions if one.worded is not None]
        self._beginnings = tuple(one.opens_with for one in companions if one.opens_with)
        self._opening = of(lambda one: one.opening)
        self._taken_up = of(lambda one: one.taken_up)
        self._started = of(lambda one: one.started)
        self._with_tools = [one for one in companions if one.own_tools or one.withheld is not None]
        self._state = of(lambda one: one.state)
        self._stance = of(lambda one: one.stance)
        self._offered = of(lambda one: one.offered)
        self._placed = of(lambda one: one.placed)
        self._carry_out = {one.carries: one.carry_out for one in companions if one.carries}
        self._briefing = of(lambda one: one.briefing)
        self._after_results = of(lambda one: one.after_results)
        self._closes = of(lambda one: one.closes)
        self._parked = of(lambda one: one.parked)
        self._ended = of(lambda one: one.ended)
        self._set_aside = of(lambda one: one.set_aside)

    def worded(self, bundle: Bundle, plan: Plan) -> Bundle:
        """Returns the message that opens a turn beside a live plan, as the model shall read it."""
        for answer in self._worded:
            bundle = answer(bundle, plan)
        return bundle

    def opens(self, bundle: Bundle) -> bool:
        """Returns True for a message that opens a turn of its own and joins no running one."""
        return bundle.first.text.startswith(self._beginnings)

    async def opening(self, work: Work, row: Turn, agenda: Agenda) -> Share:
        """Returns the shares in the opening of a turn, each made with the row so far."""
        whole = Share(row)
        for answer in asked(self._opening, work):
            whole = whole.joined(await answer(work, whole.turn, agenda))
        return whole

    async def taken_up(self, work: Work, row: Turn, agenda: Agenda) -> Share:
        """Returns the shares in the start of a turn that is taken up."""
        whole = Share(row)
        for answer in asked(self._taken_up, work):
            whole = whole.joined(await answer(work, whole.turn, agenda))
        return whole

    async def started(self, work: Work) -> list[str]:
        """Returns the lenders whose servers the turn needs."""
        return [name for answer in asked(self._started, work) for name in await answer(work)]

    @property
    def own_tools(self) -> frozenset[str]:
        """Returns the names of tools that only some turns have."""
        return frozenset[str]().union(*(one.own_tools for one in self._with_tools))

    def withheld(self, work: Work) -> frozenset[str]:
        """Returns the names of tools of which the model is not told in this turn."""
        names = frozenset[str]()
        for one in self._with_tools:
            if not one.concern(work):
                names |= one.own_tools
            elif one.withheld is not None:
                names |= one.withheld(work)
        return names

    async def state(self, work: Work, state: LoopState) -> LoopState:
        """Returns the input of the next verdict, with what companions add."""
        for answer in asked(self._state, work):
            state = await answer(work, state)
        return state

    def stances(self, work: Work, call: OpenCall, tools: Mapping[str, Tool]) -> list[Stance]:
        """Returns the stances on an open call."""
        told = (answer(work, call, tools) for answer in asked(self._stance, work))
        return [stance for stance in told if stance is not None]

    async def offered(
        self, work: Work, call: ToolCall, preview: Preview, place: Place, tools: Mapping[str, Tool]
    ) -> Preview:
        """Returns the first card of a round, with what companions offer on it."""
        for answer in asked(self._offered, work):
            preview = await answer(work, call, preview, place, tools)
        return preview

    def placed(self, work: Work, place: Place, call: ToolCall) -> Place:
        """Returns the place where a call of the turn happens."""
        for answer in asked(self._placed, work):
            place = answer(work, place, call)
        return place

    async def carry_out(
        self, work: Work, step: Entrusted, gates: Mapping[str, Gate], tools: Mapping[str, Tool]
    ) -> str:
        """Hands a step to the companion that it belongs to; returns its line for people."""
        answer = self._carry_out.get(type(step))
        if answer is None:
            raise LookupError(f"no companion carries {type(step).__name__} out")
        return await answer(work, step, gates, tools)

    async def briefing(self, work: Work, view: ViewFold) -> Briefing:
        """Returns the entries that come before the next request, and if its text is hidden."""
        told = [await answer(work, view) for answer in asked(self._briefing, work)]
        bodies = tuple(body for one in told for body in one.bodies)
        return Briefing(bodies, any(one.hidden for one in told))

    async def after_results(self, work: Work, row: Turn, ran: Results) -> Share:
        """Returns the shares in the transaction of results, each asked with the row so far."""
        whole = Share(row)
        for answer in asked(self._after_results, work):
            whole = whole.joined(await answer(work, whole.turn, ran))
        return whole

    def closed(self, work: Work, code: Code) -> dict[str, Refuse]:
        """Returns the results of open calls that close in a companion's words."""
        told = (answer(work, code) for answer in asked(self._closes, work))
        return {id: refusal for one in told for id, refusal in one.items()}

    async def parked(self, work: Work) -> list[Write]:
        """Returns what is added to the row of a turn that is about to wait."""
        return [write for answer in asked(self._parked, work) for write in await answer(work)]

    async def ended(self, work: Work, finish: Finish, closed: Results) -> list[Ended]:
        """Returns the parts of the settlement."""
        return [await answer(work, finish, closed) for answer in asked(self._ended, work)]

    async def set_aside(self, work: Work) -> list[Aside]:
        """Returns the parts of the settlement of a turn that a new message ends."""
        return [await answer(work) for answer in asked(self._set_aside, work)]
