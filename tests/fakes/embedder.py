"""An embedder without a model: words and their parts, hashed, with a few words of like meaning."""

from collections.abc import Sequence
from random import Random
from typing import Protocol
from zlib import crc32

from bot.adapters.sql.stemmer import stem as stem_of
from bot.adapters.system_clock import SystemClock
from bot.domain.clock.zones import Zones
from bot.domain.memory.meaning import Vector, unit
from bot.domain.money.budget import Budgets
from bot.domain.money.model import Price
from bot.domain.talk.errors import MeaningError
from bot.domain.text.stems import SOFT, pairs, sought
from bot.flow.money.paid_embedder import PaidEmbedder
from bot.flow.money.till import Till
from bot.ports.embedder import Embedded, Embedder
from bot.ports.journal import Journal
from bot.ports.ledger import Ledger
from bot.ports.people import People

SIZE = 256

_ALIKE = (
    "car auto automobile vehicle coche voiture wagen 汽车",
    "dog puppy hound hund perro chien 小狗",
    "doctor physician arzt medico medecin 医生",
    "job work employment arbeit beruf stelle 工作",
    "wife spouse partner husband frau mann ehefrau 妻子",
    "home house flat apartment wohnung haus casa 房子",
    "money salary income pay gehalt lohn 工资",
    "buy purchase bought kaufen gekauft gekaufen 购买",
    "holiday vacation trip urlaub reise ferien 旅行",
    "child kid son daughter kind sohn tochter 孩子",
    "ill sick disease krank krankheit 生病",
    "food meal dish essen gericht 食物",
    "colour color farbe 颜色",
    "birthday born geburtstag geboren 生日",
)
"""Words that this embedder takes for one meaning, each line its own."""

_MEANINGS = {
    stem: f"={n}"
    for n, line in enumerate(_ALIKE)
    for word in line.split()
    for stem in sought(word, stem_of)
}


def embedded(text: str, size: int = SIZE) -> Vector:
    """Returns the vector of a text: whole words, half as much their parts, and their meanings."""
    sums = [0.0] * size
    for stem, part in sought(text, stem_of, 400).items():
        if part <= SOFT:
            continue
        word = _MEANINGS.get(stem, stem)
        _add(sums, word, 1.0)
        if word is stem and not pairs(stem):
            for n in range(max(1, len(stem) - 2)):
                _add(sums, stem[n : n + 3], 0.3)
    _add(sums, "", 0.05)
    return unit(sums)


def _add(sums: list[float], feature: str, weight: float) -> None:
    hashed = crc32(feature.encode("utf-8", "replace"))
    sums[hashed % len(sums)] += weight if hashed >> 16 & 1 else -weight


class _Books(Protocol):
    @property
    def ledger(self) -> Ledger: ...

    @property
    def journal(self) -> Journal: ...

    @property
    def people(self) -> People: ...


def paid(embedder: Embedder, store: _Books, budgets: Budgets | None = None) -> PaidEmbedder:
    """Returns the embedder at a till over this store, without a budget unless some are given."""
    journal, people = store.journal, store.people
    till = Till(store.ledger, journal, people, Zones(), SystemClock(), budgets or {})
    return PaidEmbedder(embedder, till)


class FakeEmbedder:
    """Embeds by hashing; `fault` is raised instead while it is set, and `texts` are what it saw.

    It tells `tokens` for each call.
    """

    def __init__(
        self, name: str = "fake", size: int = SIZE, price: Price | None = None, tokens: int = 7
    ) -> None:
        self.name = name
        self.size = size
        self.fault: MeaningError | None = None
        self.texts: list[str] = []
        self.calls = 0
        self.price = price
        self.tokens = tokens
        self.metered = True

    async def embed(self, texts: Sequence[str]) -> Embedded:
        if self.fault is not None:
            raise self.fault
        self.calls += 1
        self.texts.extend(texts)
        return Embedded([embedded(text, self.size) for text in texts], self.tokens)

    async def close(self) -> None:
        """Has nothing to close."""


class UselessEmbedder(FakeEmbedder):
    """Knows no meaning: each text gets numbers by chance, the same each time."""

    async def embed(self, texts: Sequence[str]) -> Embedded:
        paid = await super().embed(texts)
        return Embedded([self._by_chance(text) for text in texts], paid.tokens)

    def _by_chance(self, text: str) -> Vector:
        chance = Random(text)
        return unit([chance.gauss(0, 1) for _ in range(self.size)])
