"""A companion of turns that tells, once, when most of a budget is used."""

from collections.abc import Sequence

from bot.domain.change import Show, Write
from bot.domain.loop.contribution import Ended, Share
from bot.domain.money.budget import CallKind, Cause, Purse, Scope
from bot.domain.talk.message import Address, Markdown, Outbound, OutboundKind
from bot.domain.turn.outcome import StopReason
from bot.domain.turn.step import Finish
from bot.domain.turn.turn import Turn
from bot.flow.log.companion import Companion, Results
from bot.flow.log.work import Work
from bot.flow.money.till import Till
from bot.flow.money.wording import warning
from bot.ports.chats import Chats
from bot.ports.outbox import Outbox
from bot.ports.people import People

_MOST_KNOWN = 1_000


def cause_of(work: Work, kind: CallKind = CallKind.ANSWER) -> Cause:
    """Returns the cause of a call that is made for a turn."""
    turn = work.turn
    return Cause(kind, work.log.chat.shown_in, turn.asker, work.task, turn.skill)


class MoneyCompanion:
    """Warns in the chat of the turn, and of everybody's budget in the owners' private chats.

    The key of the message names the budget and its day, so it exists once, whatever dies.
    """

    def __init__(self, till: Till, people: People, chats: Chats, outbox: Outbox) -> None:
        self._till = till
        self._people = people
        self._chats = chats
        self._outbox = outbox
        self._known: set[str] = set()

    @property
    def answers(self) -> Companion:
        return Companion(after_results=self.after_results, ended=self.ended)

    async def after_results(self, work: Work, row: Turn, ran: Results) -> Share:
        return Share(row, writes=await self._warnings(work))

    async def ended(self, work: Work, finish: Finish, closed: Results) -> Ended:
        stopped = finish.stop_reason is StopReason.BUDGET
        found = await self._warnings(work, (Scope.DAY, Scope.PERSON), stopped=stopped)
        self._till.forget(work.task)
        return Ended(found)

    async def _warnings(
        self, work: Work, scopes: Sequence[Scope] = tuple(Scope), *, stopped: bool = False
    ) -> tuple[Write, ...]:
        """Returns the messages that are due; the last word of a `stopped` turn is one of them."""
        shows: list[Write] = []
        for purse in await self._till.purses(cause_of(work)):
            # A turn that has nothing left ends at once, and its last word says why.
            ends = purse.scope is Scope.TURN and not purse.left
            if purse.scope in scopes and purse.warned and not ends:
                told = stopped and not purse.left
                shows.extend(await self._unsaid(work, purse, told_here=told))
        return tuple(shows)

    async def _unsaid(self, work: Work, purse: Purse, *, told_here: bool) -> Sequence[Show]:
        """Returns the messages about a budget that do not exist yet, but for chats that know."""
        if purse.key in self._known:
            return ()
        homes = await self._owners(work) if purse.scope is Scope.DAY else []
        told = Outbound(OutboundKind.NOTICE, (Markdown(warning(purse, work.clock.now())),))
        keys = {f"budget:{purse.key}:{home}": home for home in homes or [work.log.chat.shown_in]}
        found = [
            Show(key, home, told)
            for key, home in keys.items()
            if await self._outbox.row(key) is None
            and not (told_here and home == work.log.chat.shown_in)
        ]
        if not found and not told_here:
            if len(self._known) >= _MOST_KNOWN:
                self._known.clear()
            self._known.add(purse.key)
        return found

    async def _owners(self, work: Work) -> list[int]:
        """Returns the owners' private chats on the channel of the turn.

        An owner who asks in private is told there: the chat of a terminal has no person's number.
        """
        turn, private = work.turn, work.log.chat.private
        homes: list[int] = []
        for key, person in await self._people.accounts():
            where, _, number = key.partition(":")
            if not person.is_owner or where != work.address.channel:
                continue
            if private and person.id == turn.asker:
                homes.append(work.log.chat.shown_in)
            else:
                homes.append((await self._chats.at(Address(where, number), private=True)).id)
        return list(dict.fromkeys(homes))
