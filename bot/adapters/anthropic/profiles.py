"""Capabilities and prices of the Claude models."""

from bot.domain.model import ModelProfile, Price

PROVIDER = "anthropic"

_MAX_OUTPUT = 32_000
"""Tokens of the longest answer: about as much as a model writes within a call's time limit."""

_WINDOW = 200_000
"""Tokens in view. The models accept a million, but every round pays for all tokens it reads."""


def _current(name: str, price: Price, window: int = _WINDOW) -> ModelProfile:
    return ModelProfile(PROVIDER, name, window, _MAX_OUTPUT, price=price)


_PROFILES = {
    profile.name: profile
    for profile in (
        # Above 100,000 tokens of prompt every token of a Haiku call costs five times as much.
        _current("claude-haiku-5-5", Price(0.10, 0.50, 0.01, 0.125), window=100_000),
        _current("claude-sonnet-5-5", Price(2.0, 10.0, 0.10, 2.50)),
        _current("claude-opus-5-5", Price(4.0, 20.0, 0.20, 5.0)),
    )
}


def profile(name: str) -> ModelProfile:
    """Returns the profile of a model; an unknown model counts as small and without thinking."""
    known = _PROFILES.get(name)
    if known is not None:
        return known
    return ModelProfile(PROVIDER, name, _WINDOW, max_output=8_000, thinks=False)
