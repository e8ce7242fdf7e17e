"""Rules for the request's top-level fields, in the order the API reports them."""

from collections.abc import Callable, Iterator
from typing import Any

from tests.standins.messages_api.rules.shapes import Shape, block_faults
from tests.standins.messages_api.rules.terms import BINDING_BETA, Terms
from tests.standins.messages_api.rules.tools import tool_choice_faults, tool_faults
from tests.standins.messages_api.wire import Json

_MESSAGE = Shape({"role": str, "content": (str, list)})
_TEXT = Shape({"type": str, "text": str}, frozenset({"cache_control", "citations"}))
_CACHE_MARK = Shape({"type": str}, frozenset({"ttl"}))
_OUTPUT_CONFIG = Shape({}, frozenset({"effort", "format"}))
_METADATA = Shape({}, frozenset({"user_id"}))
_THINKING = {
    "enabled": Shape({"type": str}, frozenset({"budget_tokens", "display", "block_binding"})),
    "adaptive": Shape({"type": str}, frozenset({"display", "block_binding"})),
    "disabled": Shape({"type": str}),
    "between_tools": Shape({"type": str}),
}
_EFFORTS = ("low", "medium", "high", "xhigh", "max")
_MINIMUM_BUDGET = 1024
_REQUIRED = frozenset({"messages", "max_tokens"})
_SAMPLING = frozenset({"temperature", "top_k", "top_p"})


def field_faults(body: Json, terms: Terms, issued: Callable[[Json], bool]) -> Iterator[str]:
    """Yield the faults of every field in report order, then the unknown keys.

    `issued` says whether a block of an unknown type is one the API itself answered with.
    """
    removed = _SAMPLING if terms.tightened else frozenset[str]()
    for name, check in _checks(terms.betas, issued).items():
        if name in removed:
            continue
        if name in _REQUIRED and name not in body:
            yield f"{name}: Field required"
        if name in _REQUIRED or body.get(name) is not None:
            yield from check(body[name])
    for name in body:
        if name not in _KNOWN or name in removed:
            yield f"{name}: Extra inputs are not permitted"


def _checks(
    betas: frozenset[str], issued: Callable[[Json], bool]
) -> dict[str, Callable[[Any], Iterator[str]]]:
    return {
        "tool_choice": tool_choice_faults,
        "tools": tool_faults,
        "messages": lambda messages: _message_faults(messages, issued),
        "system": _system_faults,
        "thinking": lambda thinking: _thinking_faults(thinking, betas),
        "output_config": _output_config_faults,
        "cache_control": lambda mark: _CACHE_MARK.faults(mark, "cache_control"),
        "max_tokens": lambda number: _integer_faults(number, "max_tokens", 0),
        "metadata": lambda metadata: _METADATA.faults(metadata, "metadata"),
        "stop_sequences": _stop_sequence_faults,
        "temperature": lambda number: _fraction_faults(number, "temperature"),
        "service_tier": _service_tier_faults,
        "top_k": lambda number: _integer_faults(number, "top_k", 0),
        "top_p": lambda number: _fraction_faults(number, "top_p"),
        "stream": _stream_faults,
    }


def _message_faults(messages: Any, issued: Callable[[Json], bool]) -> Iterator[str]:
    if not isinstance(messages, list):
        yield "messages: Input should be a valid array"
        return
    if not messages:
        yield "messages: at least one message is required"
    for position, message in enumerate(messages):
        if not isinstance(message, dict):
            yield f"messages.{position}: Input should be an object"
        if isinstance(message.get("content"), list):
            for index, block in enumerate(message["content"]):
                if not issued(block):
                    yield from block_faults(block, f"messages.{position}.content.{index}")
        yield from _MESSAGE.faults(message, f"messages.{position}")


def _system_faults(system: Any) -> Iterator[str]:
    if isinstance(system, str):
        return
    for index, block in enumerate(system):
        yield from _TEXT.faults(block, f"system.{index}")
        if not block["text"]:
            yield "system: text content blocks must be non-empty"
        if not block["text"].strip():
            yield "system: text content blocks must contain non-whitespace text"


def _thinking_faults(thinking: Any, betas: frozenset[str]) -> Iterator[str]:
    kind = thinking.get("type") if isinstance(thinking, dict) else None
    if kind not in _THINKING:
        tags = ", ".join(f"'{name}'" for name in _THINKING)
        yield (
            f"thinking: Input tag '{kind}' found using 'type' does not match any of the expected "
            f"tags: {tags}"
        )
        return
    if "block_binding" in thinking and BINDING_BETA not in betas:
        yield f"thinking.{kind}.block_binding: Extra inputs are not permitted"
    if kind == "enabled" and "budget_tokens" not in thinking:
        yield "thinking.enabled.budget_tokens: Field required"
    if kind == "enabled":
        path = "thinking.enabled.budget_tokens"
        yield from _integer_faults(thinking["budget_tokens"], path, _MINIMUM_BUDGET)
    yield from _THINKING[kind].faults(thinking, f"thinking.{kind}")


def _output_config_faults(config: Any) -> Iterator[str]:
    effort = config.get("effort")
    if effort is not None and effort not in _EFFORTS:
        yield "output_config.effort: Input should be 'low', 'medium', 'high', 'xhigh' or 'max'"
    yield from _OUTPUT_CONFIG.faults(config, "output_config")


def _stop_sequence_faults(sequences: Any) -> Iterator[str]:
    for index, sequence in enumerate(sequences):
        if not isinstance(sequence, str):
            yield f"stop_sequences.{index}: Input should be a valid string"
        elif not sequence.strip():
            yield "stop_sequences: each stop sequence must contain non-whitespace"


def _service_tier_faults(tier: Any) -> Iterator[str]:
    if tier not in {"auto", "standard_only"}:
        yield "service_tier: Input should be 'auto' or 'standard_only'"


def _stream_faults(stream: Any) -> Iterator[str]:
    if not isinstance(stream, bool):
        yield "stream: Input should be a valid boolean"


def _integer_faults(number: Any, path: str, minimum: int) -> Iterator[str]:
    if not isinstance(number, int) or isinstance(number, bool):
        yield f"{path}: Input should be a valid integer"
    elif number < minimum:
        yield f"{path}: Input should be greater than or equal to {minimum}"


def _fraction_faults(number: Any, path: str) -> Iterator[str]:
    if not isinstance(number, int | float) or not 0 <= number <= 1:
        yield f"{path}: range: 0..1"


_KNOWN = frozenset(_checks(frozenset(), lambda _: False)) | {
    "model",
    "container",
    "inference_geo",
    "diagnostics",
    "speed",
}
