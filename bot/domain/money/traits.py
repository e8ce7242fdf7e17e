"""Traits of models: known fields, set on top of those that others know."""

from collections.abc import Mapping
from dataclasses import fields, replace
from datetime import date
from decimal import Decimal
from typing import Any, cast

from bot.domain.money.model import ModelProfile, Price
from bot.domain.value import frozen

_LEAST_WINDOW = 1_000
_PRICES = ("input", "output", "cache_read", "cache_write", "search")


@frozen
class Traits:
    """The known fields of a profile; None is unknown."""

    window: int | None = None
    """Tokens in view."""
    output: int | None = None
    """Tokens of the longest answer."""
    tools: bool | None = None
    """True when the model can call tools."""
    vision: bool | None = None
    """True when the model takes pictures."""
    thinking: bool | None = None
    """True when the model is asked to think."""
    adopts: bool | None = None
    """True when the model takes calls that other models made."""
    trusted: bool | None = None
    """True when the model's finish reason can be relied on."""
    searches: bool | None = None
    """True when the provider can search the web for the model."""
    price: Price | None = None
    """The price of its tokens."""

    def over(self, below: "Traits") -> "Traits":
        """Returns these traits, and those below where nothing is known here."""
        told = {f.name: getattr(self, f.name) for f in fields(self)}
        return replace(below, **{name: value for name, value in told.items() if value is not None})

    def on(self, careful: ModelProfile) -> ModelProfile:
        """Returns the profile with everything known; its answer leaves half of the window free."""
        window = self.window or careful.window
        return replace(
            careful,
            window=window,
            max_output=min(self.output or careful.max_output, window // 2),
            calls=careful.calls if self.tools is None else self.tools,
            sees=careful.sees if self.vision is None else self.vision,
            thinks=careful.thinks if self.thinking is None else self.thinking,
            adopts=careful.adopts if self.adopts is None else self.adopts,
            trusted=careful.trusted if self.trusted is None else self.trusted,
            searches=careful.searches if self.searches is None else self.searches,
            price=self.price or careful.price,
        )


KEYS = tuple(f.name for f in fields(Traits))
"""The keys of a table of a model."""


def read_traits(table: object) -> Traits:
    """Returns the traits of a table of `models.toml`; raises ValueError with half a sentence.

    Keys that nobody knows are passed over.
    """
    given = _table(table, "it should be a table")
    found: dict[str, Any] = {}
    for name in ("window", "output"):
        if name in given:
            found[name] = _count(name, given[name])
    for name in ("tools", "vision", "thinking", "adopts", "trusted", "searches"):
        if name in given:
            found[name] = _flag(name, given[name])
    if "price" in given:
        found["price"] = _price(given["price"])
    return Traits(**found)


def _table(value: object, wish: str) -> Mapping[str, object]:
    if not isinstance(value, Mapping):
        raise ValueError(wish)
    return cast("Mapping[str, object]", value)


def _count(name: str, value: object) -> int:
    least = _LEAST_WINDOW if name == "window" else 1
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise ValueError(f"{name}: it should be a whole number of tokens, at least {least}")
    return value


def _flag(name: str, value: object) -> bool:
    if not isinstance(value, bool):
        raise ValueError(f"{name}: it should be true or false")
    return value


def _price(value: object) -> Price:
    given = _table(value, "price: it should be a table of dollars for a million tokens")
    unknown = given.keys() - {*_PRICES, "date"}
    if unknown:
        raise ValueError(f"price: {sorted(unknown)[0]} is none of {', '.join(_PRICES)}, date")
    dollars = {name: _dollars(name, given[name]) for name in _PRICES if name in given}
    if not {"input", "output"} <= dollars.keys():
        raise ValueError("price: it should have at least input and output")
    # Without a price of their own, tokens of a cache cost what other tokens cost.
    for name in ("cache_read", "cache_write"):
        dollars.setdefault(name, dollars["input"])
    return Price(**dollars, dated=_day(given["date"]) if "date" in given else "")


def _day(value: object) -> str:
    try:
        return date.fromisoformat(str(value)).isoformat()
    except ValueError:
        raise ValueError("price: date should be a day, as in 2026-11-22") from None


def _dollars(name: str, value: object) -> Decimal:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 1e6:
        raise ValueError(f"price: {name} should be dollars for a million tokens")
    # The shortest form of a float is the number that somebody wrote.
    return Decimal(str(value))
