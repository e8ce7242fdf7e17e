"""The till: the one place where paid calls are counted, and refused when a budget is used up."""

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import TypeAlias

from bot.domain.change import Change, DropUsage, Write
from bot.domain.clock.zones import Zones
from bot.domain.money.budget import (
    Budgets,
    CallKind,
    Cause,
    Limit,
    Purse,
    Scope,
    day_of,
    least_cost,
)
from bot.domain.money.model import Price
from bot.domain.money.money import Nano
from bot.domain.talk.errors import OverBudget, StoreError
from bot.flow.money.receipt import Receipt, new_call
from bot.flow.money.sums import Mark, Sums, is_fresh
from bot.flow.money.wording import NO_PRICE, refusal, unpriced, which
from bot.ports.clock import Clock
from bot.ports.journal import Journal
from bot.ports.ledger import Ledger, Spender
from bot.ports.people import People

_LOG = logging.getLogger(__name__)
Day: TypeAlias = tuple[datetime, datetime, str]
"""The beginning and the end of a day, and its time zone."""

_EVER = datetime.min.replace(tzinfo=UTC)


class Till:
    """Opens a receipt for each paid call; `settings` are the budgets that nobody set in a chat.

    The least cost of a call is set aside before it is made: in memory always, so that a budget set
    a moment later counts it, and where a budget counts for it in the record too. So calls side by
    side do not count on the same money, and a call that the program does not outlive is counted.
    """

    def __init__(
        self,
        ledger: Ledger,
        journal: Journal,
        people: People,
        zones: Zones,
        clock: Clock,
        settings: Budgets,
    ) -> None:
        self._ledger = ledger
        self._journal = journal
        self._people = people
        self._zones = zones
        self._clock = clock
        self._settings = settings
        self._chosen: dict[Scope, Limit] = {}
        self._read: datetime | None = None
        self._sums = Sums(ledger)
        self._days: dict[int, Day] = {}
        self._lock = asyncio.Lock()

    async def opened(
        self,
        cause: Cause,
        model: str,
        price: Price | None,
        tokens: int,
        call: str = "",
        *,
        noted: bool = True,
    ) -> Receipt:
        """Returns the receipt of a call that is about to be made; raises OverBudget.

        `tokens` are those of its prompt, as far as they can be estimated. `call` names the call
        where its record may have to be found again. A call that is not `noted` is set aside in
        memory alone: it is not counted if the program does not outlive it.
        """
        least = least_cost(price, tokens) if price is not None else 0
        at, name = self._clock.now(), call or new_call()
        receipt = Receipt(cause, model, price, tokens, at, self._sums, least, call=name)
        async with self._lock:
            purses = await self._standing(cause, least)
            await self._check(receipt, purses)
            receipt.open()
        if purses and least and noted:
            await self._set_aside(receipt)
        return receipt

    async def _check(self, receipt: Receipt, purses: Sequence[Purse]) -> None:
        """Raises OverBudget when one of the budgets does not allow the call."""
        model, least = receipt.model, receipt.least
        if purses and receipt.price is None:
            owner = await self._is_owner(receipt.cause)
            raise OverBudget(unpriced(model, owner=owner), NO_PRICE)
        short = next((purse for purse in purses if purse.refuses(least)), None)
        if short is not None:
            owner = await self._is_owner(receipt.cause)
            told = refusal(short, least, self._clock.now(), owner=owner)
            raise OverBudget(told, f"{which(short)} does not allow it")

    async def _set_aside(self, receipt: Receipt) -> None:
        try:
            await self._journal.commit(Change((receipt.set_aside(),)))
        except BaseException:
            receipt.taken_back()
            raise

    async def give_up(self, receipt: Receipt) -> None:
        """Closes the receipt of a call that ended without a reply.

        What had begun to come is paid for. A fault of the store is not raised: the caller has a
        fault to tell already.
        """
        if receipt.closed:
            return
        writes: tuple[Write, ...] = receipt.torn
        if receipt.written:
            writes = receipt.broken_off()
        else:
            receipt.taken_back()
            writes = (*writes, DropUsage(receipt.call)) if receipt.on_record else writes
        if not writes:
            return
        try:
            await self._journal.commit(Change(writes))
        except StoreError as fault:
            _LOG.warning("the cost of a call that broke off is not on record: %s", fault)

    async def purses(self, cause: Cause) -> Sequence[Purse]:
        """Returns every budget that counts for calls of this cause, as it stands."""
        async with self._lock:
            return await self._purses(cause, await self.budgets())

    async def _standing(self, cause: Cause, least: Nano) -> Sequence[Purse]:
        """Returns every budget that counts; none refuses a call by what was read a moment ago.

        An owner may just have set another one through another process on the same database.
        """
        purses = await self._purses(cause, await self.budgets())
        if any(one.refuses(least) for one in purses):
            self._read = None
            self._sums.doubt()
            purses = await self._purses(cause, await self.budgets())
        return purses

    async def refusal(self, cause: Cause, price: Price | None) -> Purse | None:
        """Returns the budget that does not allow even the smallest call of this cause."""
        least = least_cost(price, 1) if price is not None else 0
        async with self._lock:
            purses = await self._standing(cause, least)
        return next((one for one in purses if one.refuses(least)), None)

    async def bounded(self) -> bool:
        """Returns True when any budget counts, whoever it is for."""
        return any(limit.money is not None for limit in (await self.budgets()).values())

    async def budgets(self) -> Budgets:
        """Returns the budget of each scope that has one: set in a chat, or else by a setting."""
        now = self._clock.now()
        if self._read is None or not is_fresh(self._read, now):
            self._chosen, self._read = dict(await self._ledger.budgets()), now
        return {**self._settings, **self._chosen}

    async def today(self) -> tuple[Nano | None, Nano]:
        """Returns everybody's budget of the day, and what is spent of it."""
        limit = (await self.budgets()).get(Scope.DAY, Limit()).money
        for purse in await self.purses(Cause(CallKind.ANSWER)):
            return limit, purse.spent
        since, until = day_of(self._clock.now(), self._zones.of(None))
        return limit, await self._ledger.total(since, Spender(), until=until)

    async def choose(self, scope: Scope, limit: Limit) -> None:
        """Makes a budget count at once; the caller stores it."""
        await self.budgets()
        self._chosen, self._read = {**self._chosen, scope: limit}, self._clock.now()

    def forget(self, turn: str) -> None:
        """Forgets what a turn has spent: it has ended."""
        self._sums.forget(turn)

    def recount(self) -> None:
        """Reads all sums anew at their next use: calls count for another person now."""
        self._sums.doubt()

    async def _is_owner(self, cause: Cause) -> bool:
        person = None if cause.person is None else await self._people.get(cause.person)
        return person is not None and person.is_owner

    async def _purses(self, cause: Cause, budgets: Budgets) -> Sequence[Purse]:
        found: list[Purse] = []
        for scope, limit in budgets.items():
            purse = None if limit.money is None else await self._empty(scope, limit.money, cause)
            if purse is not None:
                await self._sums.load((_mark(purse),), self._clock.now())
                found.append(replace(purse, spent=self._sums.of(_mark(purse))))
        return found

    async def _empty(self, scope: Scope, limit: int, cause: Cause) -> Purse | None:
        """Returns the budget before anything is spent; None when the call has no such subject."""
        now = self._clock.now()
        match scope:
            case Scope.DAY:
                zone = self._zones.of(None)
                return Purse(scope, limit, 0, *day_of(now, zone), zone)
            case Scope.PERSON if cause.person is not None:
                day = await self._day(cause.person, now)
                return Purse(scope, limit, 0, *day, str(cause.person))
            case Scope.TURN if cause.turn:
                return Purse(scope, limit, 0, _EVER, None, "UTC", cause.turn)
            case _:
                return None

    async def _day(self, person: int, now: datetime) -> Day:
        """Returns a person's day; another time zone counts once the day that began has ended.

        So their zone is read once for each day. Otherwise a new zone whose midnight was a moment
        ago would be a new budget.
        """
        held = self._days.get(person)
        if held is None or not held[0] <= now < held[1]:
            zone = self._zones.of(await self._people.get(person))
            held = self._days[person] = (*day_of(now, zone), zone)
        return held


def _mark(purse: Purse) -> Mark:
    return Mark(purse.scope, purse.since, purse.subject, purse.until)
