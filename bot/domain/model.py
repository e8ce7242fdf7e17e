"""A model's profile and prices, the usage of a call, and the reasons why replies end."""

from dataclasses import dataclass
from enum import StrEnum


class FinishReason(StrEnum):
    """The reason why a reply ended, in words for all providers."""

    END = "end"
    CALLS = "calls"
    LENGTH = "length"
    PAUSE = "pause"
    REFUSAL = "refusal"
    WINDOW = "window"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one model call; `input` leaves out what was read from or put into a cache."""

    input: int = 0
    output: int = 0
    cache_read: int = 0
    cache_write: int = 0

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(
            self.input + other.input,
            self.output + other.output,
            self.cache_read + other.cache_read,
            self.cache_write + other.cache_write,
        )

    @property
    def prompt(self) -> int:
        """Returns the tokens of the whole prompt, with those from the cache."""
        return self.input + self.cache_read + self.cache_write


@dataclass(frozen=True, slots=True)
class Price:
    """Dollars for a million tokens of each kind."""

    input: float
    output: float
    cache_read: float
    cache_write: float

    def cost(self, usage: Usage) -> float:
        return (
            usage.input * self.input
            + usage.output * self.output
            + usage.cache_read * self.cache_read
            + usage.cache_write * self.cache_write
        ) / 1_000_000


@dataclass(frozen=True, slots=True)
class ModelProfile:
    """The abilities of a model: window and longest answer in tokens, pictures, thinking."""

    provider: str
    name: str
    window: int
    max_output: int
    sees: bool = True
    thinks: bool = True
    price: Price | None = None

    @property
    def key(self) -> str:
        return f"{self.provider}/{self.name}"

    def cost(self, usage: Usage) -> float | None:
        """Returns the dollars of a call; None when no price is known."""
        return self.price.cost(usage) if self.price is not None else None
