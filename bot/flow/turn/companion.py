"""Companions of a turn: abilities that take part in turns although the loop names none of them.

A new one is a room below this one, with a class that inherits `log/bystander.py`, and an entry in
`composition/own_companions.py`.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Protocol, TypeAlias

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


class Companion(Protocol):
    """Takes part in every turn.

    The writes that a companion returns go into the transaction that the hook belongs to. Whatever
    it remembers about a turn is kept under the turn's `Work`: after any fault that is dropped, and
    the rows are read again. `Bystander` answers every hook with nothing; companions inherit it.
    """

    def worded(self, bundle: Bundle, agenda: Agenda) -> Bundle:
        """Returns the message that opens a turn, as the model shall read it."""
        ...

    def opens(self, bundle: Bundle) -> bool:
        """Returns True for a message that opens a turn of its own and joins no running one."""
        ...

    async def opening(self, work: Work, row: Turn, agenda: Agenda) -> Share:
        """Adds to the opening of a turn by a message; `row` is the one about to be written."""
        ...

    async def taken_up(self, work: Work, row: Turn, agenda: Agenda) -> Share:
        """Adds to the start of a turn that was queued, parked or cut off, as `work` tells."""
        ...

    async def started(self, work: Work) -> Sequence[str]:
        """Prepares for the loop and returns the lenders whose servers the turn needs."""
        ...

    def withheld(self, work: Work) -> frozenset[str]:
        """Returns the names of tools of which the model is not told in this turn."""
        ...

    async def state(self, work: Work, state: LoopState) -> LoopState:
        """Adds to the input of the next verdict, such as its bounds or an ending."""
        ...

    def stance(self, work: Work, call: OpenCall, tools: Mapping[str, Tool]) -> Stance | None:
        """Returns this companion's stance on an open call, before rules and cards are looked at."""
        ...

    async def offered(
        self, work: Work, call: ToolCall, preview: Preview, place: Place, tools: Mapping[str, Tool]
    ) -> Preview:
        """Returns the first card of a round, with what this companion offers on it."""
        ...

    def placed(self, work: Work, place: Place, call: ToolCall) -> Place:
        """Returns the place where a call happens."""
        ...

    async def carry_out(
        self, work: Work, step: Entrusted, gates: Mapping[str, Gate], tools: Mapping[str, Tool]
    ) -> str | None:
        """Carries out a step that belongs to this companion, and returns None for any other.

        The text is a line about the progress for people, if there is one. Its writes also carry
        the reply that is held back, if there is one.
        """
        ...

    async def briefing(self, work: Work, view: ViewFold) -> Briefing:
        """Returns the entries that the model needs in its log before the next request."""
        ...

    async def after_results(
        self, work: Work, row: Turn, ran: Sequence[tuple[ToolCall, ToolResult]]
    ) -> Share:
        """Adds to the transaction of the results; `row` is the one about to be written."""
        ...

    def closes(self, work: Work, code: Code) -> Mapping[str, Refuse]:
        """Returns results for open calls that close in words of their own, by their ids.

        They close because the turn ends, is set aside or rests: `code` is that of other calls.
        """
        ...

    async def parked(self, work: Work) -> Sequence[Write]:
        """Adds to the row of a turn that is about to wait for a person, or to rest."""
        ...

    async def ended(
        self, work: Work, finish: Finish, closed: Sequence[tuple[ToolCall, ToolResult]]
    ) -> Ended:
        """Adds to the settlement; `closed` are the calls that it closes, with their results."""
        ...

    async def set_aside(self, work: Work) -> Aside:
        """Adds to the settlement of a parked turn that a new message ends."""
        ...


Companions: TypeAlias = Sequence[Companion]
"""The companions of a turn, in the order in which they are asked."""


def closed_by(companions: Companions, work: Work, code: Code) -> dict[str, Refuse]:
    """Returns the results of open calls that close in a companion's words."""
    return {id: told for one in companions for id, told in one.closes(work, code).items()}


async def shared(
    companions: Companions, row: Turn, ask: Callable[[Companion, Turn], Awaitable[Share]]
) -> Share:
    """Returns the shares of all companions in one transaction, each asked with the row so far."""
    whole = Share(row)
    for companion in companions:
        whole = whole.joined(await ask(companion, whole.turn))
    return whole
