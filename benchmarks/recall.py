"""The share of facts of long dialogues that is recalled: by words, by meaning, and by both.

The facts are made, and asked for in other words than they were told in: single facts, facts in
several parts, facts asked for by their date, facts that changed, and facts that nobody told, in
English, German and Chinese. Between them lies talk about the same people and things.

There are two halves, each made by its own seed, of its own people and kinds of facts. The bounds of
recall were chosen by the questions of the one; the figures of the other, which was held out, count.
"""

import random
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from benchmarks.figure import Figure
from benchmarks.recalled_facts import CITIES, HALVES, TALK, Half
from benchmarks.scale import Scale
from bot.adapters.sql.stemmer import stem
from bot.adapters.sql.store import Store, open_store
from bot.adapters.system_clock import SystemClock
from bot.domain.change import Change, KeepPassage
from bot.domain.memory.fit import Found, together
from bot.domain.memory.passage import Passage
from bot.domain.talk.message import Address
from bot.flow.memory.meaning import Meaning
from bot.flow.memory.weighing import Weighing
from bot.flow.money.paid_embedder import IN_THE_BACKGROUND
from tests.fakes.embedder import FakeEmbedder, paid
from tests.fakes.vectors import FakeVectors

_ME = "p1"
_START = datetime(2025, 1, 3, 9, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class _Question:
    words: str
    kind: str
    wanted: frozenset[str]
    """The passages that answer it; none for what nobody told."""


class _Dialogue:
    """Makes the passages in their order, and the questions about them."""

    def __init__(self, half: Half) -> None:
        self._kinds, self._names = half.kinds, half.names
        self._random = random.Random(half.seed)
        self.passages: list[Passage] = []
        self.questions: list[_Question] = []
        people = [f"{one} {other}" for one in half.names for other in ("Adler", "Berg", "Costa")]
        self._pairs = [(name, kind) for name in people for kind in half.kinds]
        self._random.shuffle(self._pairs)

    def make(self, talk: int) -> None:
        """Makes 310 facts, each after so many passages about nothing in particular."""
        for number in range(250):
            name, kind = self._pairs.pop()
            language = number % 3
            what = ("single", "dated", "changed", "several", "single")[number % 5]
            self._chat(talk)
            getattr(self, f"_{what}")(name, kind, language)
        for number in range(60):
            name, kind = self._pairs.pop()
            asked = self._kinds[kind].asked[number % 3].format(name=name)
            self.questions.append(_Question(asked, "absent", frozenset()))

    def _single(self, name: str, kind: str, language: int) -> None:
        told = self._tell(name, kind, language)
        self._ask("single", name, kind, language, told)

    def _dated(self, name: str, kind: str, language: int) -> None:
        told = self._tell(name, kind, language)
        at = self.passages[-1].at
        asked = (
            f"What happened to {name} on {at:%d %B %Y}?",
            f"Was war am {at:%Y-%m-%d} mit {name}?",
            f"{name} {at:%Y-%m-%d}?",
        )[language]
        self.questions.append(_Question(asked, "dated", frozenset({told})))

    def _changed(self, name: str, kind: str, language: int) -> None:
        self._tell(name, kind, language)
        self._chat(3)
        told = self._tell(name, kind, (language + 1) % 3)
        self._ask("changed", name, kind, language, told)

    def _several(self, name: str, kind: str, language: int) -> None:
        told = [self._tell(name, kind, language)]
        self._chat(2)
        told.append(self._tell(name, kind, language))
        self._ask("several", name, kind, language, *told)

    def _tell(self, name: str, kind: str, language: int) -> str:
        city = self._random.choice(CITIES)
        words = self._kinds[kind].told[language].format(name=name, city=city)
        return self._keep(words, ("Noted.", "Ist notiert.", "记住了。")[language])

    def _ask(self, what: str, name: str, kind: str, language: int, *told: str) -> None:
        asked = self._kinds[kind].asked[language].format(name=name)
        self.questions.append(_Question(asked, what, frozenset(told)))

    def _chat(self, count: int) -> None:
        for _ in range(count):
            asked, answer = self._random.choice(TALK)
            name = self._random.choice(self._names)
            self._keep(asked.format(name=name), answer.format(name=name))

    def _keep(self, question: str, answer: str) -> str:
        number = len(self.passages)
        at = _START + timedelta(hours=7 * number)
        id = f"t{number}"
        self.passages.append(Passage(id, _ME, at, question, answer, 1, "Ann", None, "c"))
        return id


async def measure(folder: Path, scale: Scale) -> AsyncIterator[Figure]:
    found = [(half, await _asked(half, folder, scale)) for half in HALVES]
    for way in ("words", "meaning", "both"):
        for half, hits in found:
            for figure in _figures(way, half.told, hits):
                yield figure


async def _asked(
    half: Half, folder: Path, scale: Scale
) -> Sequence[tuple[_Question, Mapping[str, list[Found]]]]:
    """Returns what is found for each question of a half."""
    dialogue = _Dialogue(half)
    dialogue.make(2 if scale.talk < 1_000 else 6)
    async with open_store(f"sqlite:///{folder / f'recall-{half.seed}.db'}") as store:
        await store.chats.at(Address("telegram", "1"), private=True)
        meaning = Meaning(
            paid(FakeEmbedder(), store),
            FakeVectors(),
            store.meant,
            store.meaning_debts,
            store.journal,
            SystemClock(),
            Weighing(store.weights, stem),
        )
        await _fill(store, meaning, dialogue.passages)
        return [(one, await _searched(store, meaning, one.words)) for one in dialogue.questions]


async def _fill(store: Store, meaning: Meaning, passages: Sequence[Passage]) -> None:
    for n in range(0, len(passages), 500):
        await store.journal.commit(Change(tuple(map(KeepPassage, passages[n : n + 500]))))
    while owed := await store.memory.owed(500):
        await store.words.take_in(owed)
    await meaning.catch_up()


async def _searched(store: Store, meaning: Meaning, words: str) -> Mapping[str, list[Found]]:
    now = _START + timedelta(days=900)
    by_words = await store.words.search(words, _ME, 24)
    meant = await meaning.search(words, _ME, 24, IN_THE_BACKGROUND)
    return {
        "words": together(by_words, (), now),
        "meaning": together((), meant.hits, now),
        "both": together(by_words, meant.hits, now, meant.weight),
    }


def _figures(
    way: str, half: str, found: Sequence[tuple[_Question, Mapping[str, list[Found]]]]
) -> Sequence[Figure]:
    told = [(one, hits[way]) for one, hits in found if one.wanted]
    absent = [hits[way] for one, hits in found if not one.wanted]
    wrong = 100 * sum(any(hit.fits for hit in hits) for hits in absent) / len(absent)
    fit = [(one, [hit for hit in hits if hit.fits]) for one, hits in told]
    kinds = sorted({one.kind for one, _ in told})
    by_kind = ", ".join(
        f"{kind} {_recall([each for each in fit if each[0].kind == kind], 5):.0f}" for kind in kinds
    )
    name = {"words": "by words", "meaning": "by meaning", "both": "by both"}[way]
    return (
        Figure(f"{len(told)} facts {name}, {half}: recall@5 ({by_kind})", _recall(fit, 5), "%"),
        Figure(f"… recall@10 {name}, {half}, whether it fits or not", _recall(told, 10), "%"),
        Figure(f"… of {len(absent)} facts never told, {half}, recalled {name}", wrong, "%"),
    )


def _recall(found: Sequence[tuple[_Question, Sequence[Found]]], most: int) -> float:
    """Returns the part of the wanted passages among the first, in percent."""
    parts = [
        len(one.wanted & {hit.id for hit in hits[:most]}) / len(one.wanted) for one, hits in found
    ]
    return 100 * sum(parts) / max(len(parts), 1)
