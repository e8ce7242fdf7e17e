"""Rules that depend on the model: thinking modes, sampling, output and window sizes."""

from collections.abc import Iterator

from tests.standins.messages_api.model_profiles import ModelProfile
from tests.standins.messages_api.wire import Json


def model_faults(body: Json, profile: ModelProfile) -> Iterator[str]:
    """Yield what the request asks of a model that does not offer it."""
    yield from _thinking_mode_faults(body, profile)
    limit, model = profile.max_output, profile.name
    if body["max_tokens"] > limit:
        yield (
            f"max_tokens: {body['max_tokens']} > {limit}, which is the maximum allowed number "
            f"of output tokens for {model}"
        )
    if not profile.sampling:
        for name in ("temperature", "top_k", "top_p"):
            if body.get(name) is not None:
                yield f"`{name}` is deprecated for this model."


def _thinking_mode_faults(body: Json, profile: ModelProfile) -> Iterator[str]:
    thinking: Json = body.get("thinking") or {}
    mode = thinking.get("type")
    if mode == "enabled" and not profile.manual_thinking:
        yield (
            '"thinking.type.enabled" is not supported for this model. Use '
            '"thinking.type.adaptive" and "output_config.effort" to control thinking behavior.'
        )
    if mode == "enabled" and thinking["budget_tokens"] >= body["max_tokens"]:
        yield "`max_tokens` must be greater than `thinking.budget_tokens`."
    if mode == "adaptive" and not profile.adaptive_thinking:
        yield "adaptive thinking is not supported on this model"


def window_faults(
    input_tokens: int, max_tokens: int, window: int, profile: ModelProfile
) -> Iterator[str]:
    """Yield that a prompt, or on older models prompt and answer together, exceed the window."""
    if input_tokens > window:
        yield f"prompt is too long: {input_tokens} tokens > {window} maximum"
    if profile.window_includes_output and input_tokens + max_tokens > window:
        yield (
            f"input length and `max_tokens` exceed context limit: {input_tokens} + {max_tokens} "
            f"> {window}, decrease input length or `max_tokens` and try again"
        )
