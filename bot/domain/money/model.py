"""A model's profile and prices, the usage of a call, and the reasons why replies end."""

from datetime import date, timedelta
from decimal import Decimal
from enum import StrEnum

from bot.domain.money.money import Nano, nano_of
from bot.domain.value import frozen

_FRESH = timedelta(days=365)
LONGEST_MODEL = 200
"""Characters of a model's name, as a provider tells it, that are kept."""

_MOST_TOKENS = 1_000_000_000
"""Tokens of one call beyond which nobody is believed; no window comes near it."""


class FinishReason(StrEnum):
    """The reason why a reply ended, in words for all providers."""

    END = "end"
    CALLS = "calls"
    LENGTH = "length"
    PAUSE = "pause"
    REFUSAL = "refusal"
    WINDOW = "window"
    UNKNOWN = "unknown"


def believable_tokens(count: object) -> int | None:
    """Returns a provider's count of tokens; None for what cannot be one."""
    if isinstance(count, int) and not isinstance(count, bool) and 0 <= count <= _MOST_TOKENS:
        return count
    return None


@frozen
class Usage:
    """Tokens of one model call; `input` leaves out what was read from or put into a cache.

    `searches` counts what the provider itself looked up on the web.
    """

    input: int = 0
    output: int = 0
    cache_read: int = 0
    cache_write: int = 0
    searches: int = 0

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(
            self.input + other.input,
            self.output + other.output,
            self.cache_read + other.cache_read,
            self.cache_write + other.cache_write,
            self.searches + other.searches,
        )

    @property
    def told(self) -> bool:
        """Returns False when the provider told no tokens at all."""
        return bool(self.prompt or self.output)

    @property
    def prompt(self) -> int:
        """Returns the tokens of the whole prompt, with those from the cache."""
        return self.input + self.cache_read + self.cache_write


@frozen
class Price:
    """Dollars for a million tokens of each kind, and for a thousand searches."""

    input: Decimal
    output: Decimal
    cache_read: Decimal
    cache_write: Decimal
    dated: str = ""
    """The day on which somebody looked the prices up, as in 2026-11-22; empty when unknown."""
    search: Decimal = Decimal(0)

    def is_old(self, today: date) -> bool:
        """Returns True for prices that were looked up more than a year ago."""
        return bool(self.dated) and date.fromisoformat(self.dated) + _FRESH < today

    @property
    def free(self) -> bool:
        """Returns True when a call costs nothing, whatever its tokens."""
        return not (self.input or self.output or self.cache_read or self.cache_write)

    def cost(self, usage: Usage) -> Nano:
        """Returns the price of these tokens and searches, rounded up to a billionth of a dollar."""
        paid = (
            usage.input * self.input
            + usage.output * self.output
            + usage.cache_read * self.cache_read
            + usage.cache_write * self.cache_write
        )
        return nano_of(paid / 1_000_000 + usage.searches * self.search / 1_000)


@frozen
class ModelProfile:
    """The abilities of a model."""

    provider: str
    """The provider that serves it."""
    name: str
    """The provider's name for it."""
    window: int
    """Tokens in view."""
    max_output: int
    """Tokens of the longest answer."""
    sees: bool = True
    """True when it takes pictures."""
    thinks: bool = True
    """True when it is asked to think before it answers."""
    price: Price | None = None
    """The price of its tokens; None when nobody knows."""
    calls: bool = True
    """True when it can call tools; other models read earlier calls as text."""
    adopts: bool = True
    """True when it takes calls that other models made; else it reads them as text."""
    trusted: bool = True
    """True when its finish reason can be relied on."""
    searches: bool = False
    """True when its provider can search the web for it during a reply."""

    @property
    def key(self) -> str:
        return f"{self.provider}/{self.name}"

    def cost(self, usage: Usage) -> Nano | None:
        """Returns the cost of a call; None when no price is known."""
        return self.price.cost(usage) if self.price is not None else None
