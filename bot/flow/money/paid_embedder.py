"""An embedder whose calls are paid: each of them goes through the till."""

import logging
from collections.abc import Awaitable, Callable, Sequence
from typing import TypeAlias

from bot.domain.change import AddUsage, Change
from bot.domain.memory.meaning import STRANGE_TEXTS, Vector
from bot.domain.money.budget import CallKind, Cause, Scope
from bot.domain.money.model import Usage
from bot.domain.talk.errors import (
    EmbedderError,
    EmbedderRefuses,
    EmbedderUnpaid,
    OverBudget,
    StoreError,
)
from bot.domain.value import frozen
from bot.flow.money.receipt import Receipt
from bot.flow.money.till import Till
from bot.ports.embedder import Embedder
from bot.ports.journal import Journal

_LOG = logging.getLogger(__name__)

_BYTES_A_TOKEN = 4

Embed: TypeAlias = Callable[[Sequence[str]], Awaitable[Sequence[Vector]]]

IN_THE_BACKGROUND = Cause(CallKind.EMBEDDING)
"""Indexing is nobody's call: what an owner decides must not use up what others may spend."""


@frozen
class PaidVectors:
    """Vectors with the records of their cost, which the caller writes."""

    vectors: Sequence[Vector]
    records: tuple[AddUsage, ...] = ()


class PaidEmbedder:
    """Embeds texts for somebody, as far as the budgets allow it.

    A call that is broken off, or answered with nonsense, is paid for all the same. Its records
    wait here as `unwritten`.
    """

    def __init__(self, embedder: Embedder, till: Till) -> None:
        self._embedder = embedder
        self._till = till
        self._unwritten: list[AddUsage] = []

    @property
    def name(self) -> str:
        return self._embedder.name

    async def embed(self, texts: Sequence[str], cause: Cause) -> PaidVectors:
        """Returns a vector for each text; raises an EmbedderError."""
        if not self._embedder.metered:
            return PaidVectors((await self._embedder.embed(texts)).vectors)
        receipt = await self._opened(texts, cause)
        try:
            found = await self._embedder.embed(texts)
        except EmbedderError as fault:
            await self._give_up(receipt, paid=fault.paid)
            raise
        except BaseException:
            await self._give_up(receipt, paid=True)
            raise
        return PaidVectors(found.vectors, receipt.paid(Usage(found.tokens)))

    async def refusal(self) -> str:
        """Returns why nothing is embedded for anybody now; empty when there is no reason."""
        if not self._embedder.metered or not await self._till.bounded():
            return ""
        if self._embedder.price is None:
            return _unpriced(self.name)
        short = await self._till.refusal(IN_THE_BACKGROUND, self._embedder.price)
        return "" if short is None else _USED_UP[short.scope]

    def unwritten(self) -> list[AddUsage]:
        """Returns the records of calls that failed; they are written by whoever takes them."""
        taken, self._unwritten = self._unwritten, []
        return taken

    async def _opened(self, texts: Sequence[str], cause: Cause) -> Receipt:
        price = self._embedder.price
        if price is None and await self._till.bounded():
            raise EmbedderUnpaid(_unpriced(self.name))
        tokens = sum(len(text.encode("utf-8", "replace")) for text in texts) // _BYTES_A_TOKEN
        try:
            # A question is not noted before: that would be one more commit in each turn.
            return await self._till.opened(
                cause, self.name, price, max(tokens, 1), noted=cause.person is None
            )
        except OverBudget:
            short = await self._till.refusal(cause, price)
            scope = Scope.DAY if short is None else short.scope
            raise EmbedderUnpaid(_USED_UP[scope]) from None

    async def _give_up(self, receipt: Receipt, *, paid: bool) -> None:
        if paid:
            self._unwritten.extend(receipt.broken_off())
        else:
            await self._till.give_up(receipt)


class OwedRecords:
    """The records of paid calls that nobody else writes; they are kept until they are stored."""

    def __init__(self, embedder: PaidEmbedder, journal: Journal) -> None:
        self._embedder = embedder
        self._journal = journal
        self._records: list[AddUsage] = []

    def add(self, records: Sequence[AddUsage]) -> None:
        self._records.extend(records)

    async def store(self, write: Callable[[Sequence[AddUsage]], Awaitable[None]]) -> None:
        """Has `write` store them; after a fault they are owed again."""
        records, self._records = self._records, []
        try:
            await write(records)
        except BaseException:
            # Written again under the same names, if they were written after all.
            self._records.extend(records)
            raise

    async def write_down(self) -> None:
        """Stores them alone, with those of calls that failed."""
        self.add(self._embedder.unwritten())
        if not self._records:
            return
        try:
            await self.store(lambda records: self._journal.commit(Change(tuple(records))))
        except StoreError as fault:
            _LOG.warning("the cost of embedding is not on record yet: %s", fault)


_USED_UP = {
    Scope.DAY: "today's budget of everybody is used up",
    Scope.PERSON: "today's budget of the person is used up",
    Scope.TURN: "the budget of the message is used up",
}


def _unpriced(model: str) -> str:
    return f"there is a budget, and nobody told what {model} costs: set STEWARD_EMBED_PRICE"


async def vectors_of(texts: Sequence[str], embed: Embed) -> list[Vector | EmbedderRefuses]:
    """Returns a vector for each text, or its refusal; raises an EmbedderError.

    When a portion is refused, each of its texts is asked for alone.
    """
    try:
        return list(await embed(texts))
    except EmbedderRefuses as fault:
        if len(texts) == 1:
            return [await _again(texts[0], embed, fault)]
    return [one for text in texts for one in await vectors_of([text], embed)]


async def _again(text: str, embed: Embed, refusal: EmbedderRefuses) -> Vector | EmbedderRefuses:
    """Asks once more for a refused text, behind one that an embedder in health takes.

    An embedder that refuses any text is ill, and everything stays owed to it.
    """
    await embed(STRANGE_TEXTS[:1])
    try:
        (vector,) = await embed([text])
    except EmbedderRefuses:
        return refusal
    return vector
