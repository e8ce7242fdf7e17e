"""A model: what it can take, what its tokens cost, and why its replies end."""

from dataclasses import dataclass
from enum import StrEnum


class FinishReason(StrEnum):
    """Why a reply ended, in the words all providers share."""

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
        """All tokens of the prompt, however they were paid for."""
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
    """What a model can take: window and longest answer in tokens, and whether it sees pictures."""

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
        """Dollars; None where no price is known."""
        return self.price.cost(usage) if self.price is not None else None
