"""The sizes of a measurement."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Scale:
    """`windows` are the turns figures are taken at, `around` how many turns each median is of."""

    starts: int
    windows: tuple[int, ...]
    around: int
    chats: int
    waves: int
    drafting: int
    """Chats in which answers grow side by side."""
    cards: int
    parked: int
    """Turns that wait for people while several processes serve."""
    presses: int
    talk: int
    backlog: int
    limited_chats: int
    flood: int
    answers: int
    """Answers that are remembered while a turn is measured."""
    many_answers: int
    """Answers of one person among which a search is measured."""
    tasks: int
    turns: int
    """Turns on record while pages are loaded."""
    year: int
    """Turns of a year."""
    idle_pages: int
    """Pages in browsers at which nothing happens."""
    rest_seconds: float
    storm_seconds: float
    """Seconds in which workers die."""


FULL = Scale(
    starts=5,
    windows=(10, 100, 1000),
    around=15,
    chats=200,
    waves=3,
    drafting=30,
    cards=10_000,
    parked=100_000,
    presses=5,
    talk=2_000,
    backlog=10_000,
    limited_chats=100,
    flood=30,
    answers=2_000,
    many_answers=100_000,
    tasks=10_000,
    turns=100_000,
    year=400_000,
    idle_pages=500,
    rest_seconds=30.0,
    storm_seconds=60.0,
)
QUICK = Scale(
    starts=1,
    windows=(4, 8),
    around=3,
    chats=10,
    waves=1,
    drafting=3,
    cards=100,
    parked=500,
    presses=1,
    talk=200,
    backlog=500,
    limited_chats=20,
    flood=10,
    answers=400,
    many_answers=3_000,
    tasks=200,
    turns=2_000,
    year=1_000,
    idle_pages=50,
    rest_seconds=2.0,
    storm_seconds=12.0,
)
