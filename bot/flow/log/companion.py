"""A companion: the answers of an ability at the moments of turns; the loop names none of them.

A room offers its companions as part of its `Room`; `composition/rooms.py` says in which order they
are asked, and `companions.py` asks them.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import TypeAlias, TypeVar

from bot.domain.change import Write
from bot.domain.loop.contribution import Aside, Briefing, Ended, Share, Stance
from bot.domain.loop.verdict import LoopState
from bot.domain.plans.plan import Plan
from bot.domain.talk.bundle import Bundle
from bot.domain.tools.tool import Code, Preview, Status, ToolCall, ToolResult
from bot.domain.turn.progress import OpenCall
from bot.domain.turn.step import Entrusted, Finish, Gate, Refuse
from bot.domain.turn.turn import Turn
from bot.domain.value import frozen
from bot.flow.log.request_view import ViewFold
from bot.flow.log.work import Work
from bot.ports.journal import Agenda
from bot.ports.tool import Place, Tool

A = TypeVar("A")

Concern: TypeAlias = Callable[[Work], bool]
"""Tells from values that a turn holds anyway if it concerns a companion: nothing is read.

Those that stand here and in `concern.py` are not in the rooms, so that a turn which does not use a
feature does not enter its room.
"""

_LONG = 9.0
"""Seconds of a run from which on something may have been shown because it takes long."""

ROUNDS_TOLD = 10
"""Rounds after which people are told how far a turn is, and after each further so many."""


def every_turn(work: Work) -> bool:
    del work
    return True


def by_origin(*origins: str) -> Concern:
    """Turns that were started so."""
    return lambda work: work.turn.origin in origins


def by_calls(*tools: str) -> Concern:
    """Turns whose model has called one of these tools, or any tool if none is named."""
    return lambda work: bool(work.called.intersection(tools) if tools else work.called)


def with_another_model(work: Work) -> bool:
    """Turns that have another model than at their first start, or may have one."""
    return work.resumed or work.turn.model != work.began_with


def with_footer(work: Work) -> bool:
    return work.log.chat.settings.footer


def with_voice(work: Work) -> bool:
    return work.log.chat.settings.voice


def with_ways(work: Work) -> bool:
    """Turns that follow an end with buttons, that took long, or that do not end with an answer."""
    if work.resumed or work.agenda.leads_on is not None or work.clock.steady() > work.began + _LONG:
        return True
    return work.ends_whole is False


def of_many_rounds(work: Work) -> bool:
    """Turns that have taken so many rounds that people are told how far they are."""
    return work.turn.rounds >= ROUNDS_TOLD


def asked(answers: Sequence[tuple[Concern, A]], work: Work) -> list[A]:
    """Returns the answers of the companions that this turn concerns, in their order."""
    return [answer for concern, answer in answers if concern(work)]


Results: TypeAlias = Sequence[tuple[ToolCall, ToolResult]]
"""Calls with their results."""


def succeeded(ran: Results) -> list[ToolCall]:
    return [call for call, result in ran if result.status is Status.SUCCESS]


@frozen
class Companion:
    """The answers of an ability, at the moments at which it has one, in the turns that concern it.

    The writes that it returns go into the transaction that the moment belongs to. Whatever it
    remembers about a turn is kept under the turn's `Work`: after any fault that is dropped, and the
    rows are read again.
    """

    concern: Concern = every_turn
    """Tells, from what the `Work` holds anyway, if a turn concerns it; asked at each moment."""
    worded: Callable[[Bundle, Plan], Bundle] | None = None
    """Returns the message that opens a turn, as the model shall read it beside a live plan."""
    opens_with: str = ""
    """The beginning of a message that opens a turn of its own and joins no running one."""
    opening: Callable[[Work, Turn, Agenda], Awaitable[Share]] | None = None
    """Adds to the opening of a turn by a message; the row is the one about to be written."""
    taken_up: Callable[[Work, Turn, Agenda], Awaitable[Share]] | None = None
    """Adds to the start of a turn that was queued, parked or cut off, as the `Work` tells."""
    started: Callable[[Work], Awaitable[Sequence[str]]] | None = None
    """Prepares for the loop and returns the lenders whose servers the turn needs."""
    own_tools: frozenset[str] = frozenset()
    """The names of tools of which the model is told only in the turns that concern it."""
    withheld: Callable[[Work], frozenset[str]] | None = None
    """Returns the names of tools of which the model is not told in such a turn."""
    state: Callable[[Work, LoopState], Awaitable[LoopState]] | None = None
    """Adds to the input of the next verdict, such as its bounds or an ending."""
    stance: Callable[[Work, OpenCall, Mapping[str, Tool]], Stance | None] | None = None
    """Returns its stance on an open call, before rules and cards are looked at."""
    offered: (
        Callable[[Work, ToolCall, Preview, Place, Mapping[str, Tool]], Awaitable[Preview]] | None
    ) = None
    """Returns the first card of a round, with what it offers on the card."""
    placed: Callable[[Work, Place, ToolCall], Place] | None = None
    """Returns the place where a call happens."""
    carries: type[Entrusted] | None = None
    """The kind of step that belongs to it."""
    carry_out: (
        Callable[[Work, Entrusted, Mapping[str, Gate], Mapping[str, Tool]], Awaitable[str]] | None
    ) = None
    """Carries out such a step and returns a line about the progress for people, or no words.

    Its writes also carry the reply that is held back, if there is one.
    """
    briefing: Callable[[Work, ViewFold], Awaitable[Briefing]] | None = None
    """Returns the entries that the model needs in its log before the next request."""
    after_results: Callable[[Work, Turn, Results], Awaitable[Share]] | None = None
    """Adds to the transaction of the results; the row is the one about to be written."""
    closes: Callable[[Work, Code], Mapping[str, Refuse]] | None = None
    """Returns results for open calls that close in words of its own, by their ids.

    They close because the turn ends, is set aside or rests: the code is that of other calls.
    """
    parked: Callable[[Work], Awaitable[Sequence[Write]]] | None = None
    """Adds to the row of a turn that is about to wait for a person, or to rest."""
    ended: Callable[[Work, Finish, Results], Awaitable[Ended]] | None = None
    """Adds to the settlement, with the calls that it closes and their results."""
    set_aside: Callable[[Work], Awaitable[Aside]] | None = None
    """Adds to the settlement of a parked turn that a new message ends."""
