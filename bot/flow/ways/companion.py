"""A companion of turns that puts buttons below their ends, and takes away those of the last one."""

from collections.abc import Sequence

from bot.domain.change import DropPassage, EndWays, Write
from bot.domain.loop.contribution import Aside, Ended, Share
from bot.domain.turn.step import Finish
from bot.domain.turn.turn import Turn, TurnState, Way, WaysOn
from bot.domain.value import frozen
from bot.flow.log.companion import Companion, Results, with_ways
from bot.flow.log.work import Work
from bot.flow.ways.buttons import gone, halt_key, key_of, on_screen, wait_key, without_buttons
from bot.flow.ways.fitting_buttons import ways_of
from bot.flow.ways.follower import opened, purpose_of
from bot.flow.ways.speakers import Speakers
from bot.ports.journal import Agenda
from bot.ports.outbox import Outbox


@frozen
class WaysCompanion:
    """Offers another try, another model or the rest; `models` are those set up, as names."""

    _outbox: Outbox
    _speakers: Speakers
    _models: Sequence[str]

    @property
    def answers(self) -> Companion:
        return Companion(
            with_ways,
            opening=self.opening,
            taken_up=self.taken_up,
            parked=self.parked,
            ended=self.ended,
            set_aside=self.set_aside,
        )

    async def opening(self, work: Work, row: Turn, agenda: Agenda) -> Share:
        return Share(row, writes=await self._past(agenda))

    async def taken_up(self, work: Work, row: Turn, agenda: Agenda) -> Share:
        turn = work.turn
        if turn.origin == "compaction" or (turn.origin == "undo" and turn.follows is None):
            return Share(row)
        past = (*await self._past(agenda), *await self._line_left(turn))
        if turn.state is not TurnState.QUEUED or turn.follows is None or turn.origin == "undo":
            return Share(row, writes=past)
        speaker = await self._speakers.of(work)
        if speaker is None:
            return Share(row, writes=past)
        if turn.way is Way.ANEW:
            past = (*past, DropPassage(turn.follows, turn.conversation))
        before, bodies = work.log.entries(turn.follows), opened(work, speaker)
        return Share(row, bodies, past, purpose_of(bodies, before, work.log.entries()))

    async def _past(self, agenda: Agenda) -> tuple[Write, ...]:
        """Takes the buttons below the last end away: the conversation goes on without them."""
        if agenda.leads_on is None:
            return ()
        ended = EndWays(agenda.leads_on, WaysOn.PAST)
        shown = await self._outbox.row(key_of(agenda.leads_on))
        return (ended,) if shown is None else (ended, without_buttons(shown))

    async def _line_left(self, turn: Turn) -> tuple[Write, ...]:
        """Takes the button away from a line about a pause in which the program ended."""
        if turn.state is not TurnState.RUNNING:
            return ()
        line = await self._outbox.row(wait_key(turn.id))
        return (without_buttons(line),) if line is not None and line.content.buttons else ()

    async def ended(self, work: Work, finish: Finish, closed: Results) -> Ended:
        offer = await self._offer_gone(work)
        return Ended(writes=offer, buttons=ways_of(work, finish, self._models))

    async def parked(self, work: Work) -> Sequence[Write]:
        return await self._offer_gone(work)

    async def set_aside(self, work: Work) -> Aside:
        return Aside(await self._offer_gone(work))

    async def _offer_gone(self, work: Work) -> tuple[Write, ...]:
        """Takes the offer to stop a long turn off the screen: it does not work any more."""
        row = await self._outbox.row(halt_key(work.turn.id))
        return (gone(row),) if row is not None and on_screen(row) else ()
