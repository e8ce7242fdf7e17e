"""The till: the one place where paid calls are counted, and refused when a budget is used up."""

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime

from bot.domain.budget import Budgets, CallKind, Cause, Limit, Purse, Scope, day_of, least_cost
from bot.domain.change import Change, DropUsage, Write
from bot.domain.errors import OverBudget, StoreError
from bot.domain.model import Price
from bot.domain.money import Nano
from bot.domain.person import Person
from bot.domain.zones import Zones
from bot.flow.money.receipt import Receipt
from bot.flow.money.sums import Mark, Sums
from bot.flow.money.wording import refusal, unpriced
from bot.ports.clock import Clock
from bot.ports.journal import Journal
from bot.ports.ledger import Ledger, Spender
from bot.ports.people import People

_LOG = logging.getLogger(__name__)
_EVER = datetime.min.replace(tzinfo=UTC)


class Till:
    """Opens a receipt for each paid call; `settings` are the budgets that nobody set in a chat.

    Where a budget counts for a call, its least cost is set aside before it is made, in memory and
    in the record. So calls side by side do not count on the same money, and a call that the
    program does not outlive is counted too.
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
        self._chosen: dict[Scope, Limit] | None = None
        self._sums = Sums(ledger)
        self._lock = asyncio.Lock()

    async def opened(self, cause: Cause, model: str, price: Price | None, tokens: int) -> Receipt:
        """Returns the receipt of a call that is about to be made; raises OverBudget.

        `tokens` are those of its prompt, as far as they can be estimated.
        """
        receipt = Receipt(cause, model, price, tokens, self._clock.now(), self._sums)
        budgets = await self.budgets()
        if not any(limit.money is not None for limit in budgets.values()):
            return receipt
        person = await self._person(cause)
        owner = person is not None and person.is_owner
        async with self._lock:
            purses = await self._purses(cause, person, budgets)
            if purses and price is None:
                raise OverBudget(unpriced(model, owner=owner))
            least = least_cost(price, tokens) if price is not None else 0
            short = next((purse for purse in purses if purse.refuses(least)), None)
            if short is not None:
                raise OverBudget(refusal(short, least, self._clock.now(), owner=owner))
            receipt.marks = tuple(map(_mark, purses))
            receipt.least = least
            self._sums.add(receipt.marks, least)
        if least:
            await self._set_aside(receipt)
        return receipt

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
            writes = (*writes, DropUsage(receipt.call)) if receipt.least else writes
        if not writes:
            return
        try:
            await self._journal.commit(Change(writes))
        except StoreError as fault:
            _LOG.warning("the cost of a call that broke off is not on record: %s", fault)

    async def purses(self, cause: Cause) -> Sequence[Purse]:
        """Returns every budget that counts for calls of this cause, as it stands."""
        budgets = await self.budgets()
        if not any(limit.money is not None for limit in budgets.values()):
            return ()
        person = await self._person(cause)
        async with self._lock:
            return await self._purses(cause, person, budgets)

    async def budgets(self) -> Budgets:
        """Returns the budget of each scope that has one: set in a chat, or else by a setting."""
        if self._chosen is None:
            self._chosen = dict(await self._ledger.budgets())
        return {**self._settings, **self._chosen}

    async def today(self) -> tuple[Nano | None, Nano]:
        """Returns everybody's budget of the day, and what is spent of it."""
        limit = (await self.budgets()).get(Scope.DAY, Limit()).money
        for purse in await self.purses(Cause(CallKind.ANSWER)):
            return limit, purse.spent
        since, _ = day_of(self._clock.now(), self._zones.of(None))
        return limit, await self._ledger.total(since, Spender())

    async def choose(self, scope: Scope, limit: Limit) -> None:
        """Makes a budget count at once; the caller stores it."""
        await self.budgets()
        self._chosen = {**(self._chosen or {}), scope: limit}

    def forget(self, turn: str) -> None:
        """Forgets what a turn has spent: it has ended."""
        self._sums.forget(turn)

    async def _person(self, cause: Cause) -> Person | None:
        return None if cause.person is None else await self._people.get(cause.person)

    async def _purses(
        self, cause: Cause, person: Person | None, budgets: Budgets
    ) -> Sequence[Purse]:
        found: list[Purse] = []
        for scope, limit in budgets.items():
            purse = None if limit.money is None else self._empty(scope, limit.money, cause, person)
            if purse is not None:
                await self._sums.load((_mark(purse),), self._clock.now())
                found.append(replace(purse, spent=self._sums.of(_mark(purse))))
        return found

    def _empty(self, scope: Scope, limit: int, cause: Cause, person: Person | None) -> Purse | None:
        """Returns the budget before anything is spent; None when the call has no such subject."""
        now = self._clock.now()
        match scope:
            case Scope.DAY:
                zone = self._zones.of(None)
                return Purse(scope, limit, 0, *day_of(now, zone), zone)
            case Scope.PERSON if cause.person is not None:
                zone = self._zones.of(person)
                return Purse(scope, limit, 0, *day_of(now, zone), zone, str(cause.person))
            case Scope.TURN if cause.turn:
                return Purse(scope, limit, 0, _EVER, None, "UTC", cause.turn)
            case _:
                return None


def _mark(purse: Purse) -> Mark:
    return Mark(purse.scope, purse.since, purse.subject)
