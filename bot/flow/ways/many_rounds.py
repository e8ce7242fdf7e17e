"""A companion of turns that tells how far a turn of many rounds is, in one silent line."""

from collections.abc import Sequence
from weakref import WeakKeyDictionary

from bot.domain.change import Show, Write
from bot.domain.clock.span import lasting
from bot.domain.loop.contribution import Aside, Ended, Share
from bot.domain.talk.message import Outbound, OutboundKind, Plain
from bot.domain.turn.step import Finish
from bot.domain.turn.turn import Turn
from bot.domain.value import field, frozen, replace
from bot.flow.log.companion import ROUNDS_TOLD, Companion, Results, of_many_rounds
from bot.flow.log.work import Work
from bot.flow.ways.buttons import gone, halt_key, on_screen, rounds_key
from bot.ports.outbox import Outbox


@frozen
class ManyRounds:
    """Changes one message at each ten rounds; it leaves when the turn ends or waits.

    Where the message that offers to stop the turn stands already, that one tells it.
    """

    _outbox: Outbox
    _told: WeakKeyDictionary[Work, int] = field(default_factory=WeakKeyDictionary, init=False)

    @property
    def answers(self) -> Companion:
        return Companion(
            of_many_rounds,
            after_results=self.after_results,
            parked=self.parked,
            ended=self.ended,
            set_aside=self.set_aside,
        )

    async def after_results(self, work: Work, row: Turn, ran: Results) -> Share:
        rounds = row.rounds
        if rounds % ROUNDS_TOLD or self._told.get(work) == rounds:
            return Share(row)
        if work.log.chat.screen is not None:
            return Share(row)  # the line about all helpers of the turn stands there
        self._told[work] = rounds
        return Share(row, writes=(await self._line(work, rounds),))

    async def _line(self, work: Work, rounds: int) -> Show:
        told = Plain(
            f"⏳ Still working: {rounds} rounds, {lasting(work.worked_seconds)}.", style="aside"
        )
        offer = await self._outbox.row(halt_key(work.turn.id))
        if offer is not None and on_screen(offer):
            return Show(offer.key, offer.chat, replace(offer.content, blocks=(told,)))
        content = Outbound(OutboundKind.PROGRESS, (told,), silent=True)
        return Show(rounds_key(work.turn.id), work.turn.chat, content, about=work.turn.id)

    async def parked(self, work: Work) -> Sequence[Write]:
        return await self._gone(work)

    async def ended(self, work: Work, finish: Finish, closed: Results) -> Ended:
        return Ended(await self._gone(work))

    async def set_aside(self, work: Work) -> Aside:
        return Aside(await self._gone(work))

    async def _gone(self, work: Work) -> tuple[Write, ...]:
        row = await self._outbox.row(rounds_key(work.turn.id))
        shown = row is not None and row.content.kind is OutboundKind.PROGRESS
        return (gone(row),) if row is not None and shown else ()
