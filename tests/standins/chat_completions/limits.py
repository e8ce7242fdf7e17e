"""What each model of the stand-in accepts."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ModelLimits:
    """One model's limits (tokens) and the parameters it takes."""

    name: str
    window: int = 128_000
    output: int = 16_384
    reasoning: bool = False
    """True for a model that refuses `max_tokens`, `stop` and any temperature but 1."""
    keeps_reasoning: bool = False
    """True for a server that takes its own reasoning fields back, and only unchanged."""


LIMITS = {
    each.name: each
    for each in (
        ModelLimits("gpt-4.1", window=1_047_576, output=32_768),
        ModelLimits("gpt-5.1", window=400_000, output=128_000, reasoning=True),
        ModelLimits("qwen-local", window=32_768, output=8_192, keeps_reasoning=True),
    )
}
