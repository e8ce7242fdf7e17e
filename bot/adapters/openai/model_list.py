"""Learns about models from a server's own list, where it tells more than names."""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

from bot.domain.money.model import Price, believable_tokens
from bot.domain.money.traits import Traits

_LEAST_WINDOW = 1_000
_WINDOWS = ("context_length", "max_model_len", "max_context_length", "context_window", "n_ctx")
_OUTPUTS = ("max_completion_tokens", "max_output_tokens", "max_tokens")


def learnt(entry: Mapping[str, Any]) -> Traits:
    """Returns the traits in an entry of a list; fields that make no sense are unknown.

    vLLM tells `max_model_len`, OpenRouter `context_length` and prices of one token, Mistral
    `max_context_length` and capabilities, llama.cpp the window inside `meta`.
    """
    places = [entry, *_inner(entry, "top_provider"), *_inner(entry, "meta")]
    window = next((n for p in places for key in _WINDOWS if (n := _tokens(p, key))), None)
    output = next((n for p in places for key in _OUTPUTS if (n := _tokens(p, key))), None)
    if window is not None and window < _LEAST_WINDOW:
        window = None
    return Traits(window, output, _tools(entry), _vision(entry), price=_price(entry))


def _tools(entry: Mapping[str, Any]) -> bool | None:
    supported = entry.get("supported_parameters")
    if isinstance(supported, Sequence) and not isinstance(supported, str) and supported:
        return "tools" in supported
    return _capability(entry, "function_calling")


def _vision(entry: Mapping[str, Any]) -> bool | None:
    for shape in _inner(entry, "architecture"):
        taken = shape.get("input_modalities")
        if isinstance(taken, Sequence) and not isinstance(taken, str):
            return "image" in taken
    return _capability(entry, "vision")


def _capability(entry: Mapping[str, Any], name: str) -> bool | None:
    for capabilities in _inner(entry, "capabilities"):
        told = capabilities.get(name)
        if isinstance(told, bool):
            return told
    return None


def _price(entry: Mapping[str, Any]) -> Price | None:
    """Returns the price for a million tokens of a list that tells it for one token."""
    for pricing in _inner(entry, "pricing"):
        paid, written = _dollars(pricing.get("prompt")), _dollars(pricing.get("completion"))
        if paid is None or written is None:
            return None
        read, write = (_dollars(pricing.get(f"input_cache_{way}")) for way in ("read", "write"))
        return Price(
            paid, written, paid if read is None else read, paid if write is None else write
        )
    return None


def _dollars(value: object) -> Decimal | None:
    if not isinstance(value, str | int | float) or isinstance(value, bool):
        return None
    try:
        dollars = Decimal(str(value)) * 1_000_000
    except ArithmeticError:
        return None
    return dollars if dollars.is_finite() and 0 <= dollars < 1_000_000 else None


def _inner(entry: Mapping[str, Any], name: str) -> list[Mapping[str, Any]]:
    inner = entry.get(name)
    return [inner] if isinstance(inner, Mapping) else []


def _tokens(place: Mapping[str, Any], key: str) -> int | None:
    value = place.get(key)
    return believable_tokens(value) or None
