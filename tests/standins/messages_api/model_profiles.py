"""What each model of the stand-in accepts; the model-dependent rules read this table."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ModelProfile:
    """One model's limits (tokens) and the request features it takes."""

    name: str
    display_name: str
    context_window: int
    max_output: int
    cacheable_minimum: int
    prefill: bool
    sampling: bool
    manual_thinking: bool
    adaptive_thinking: bool
    binds_thinking: bool
    system_messages: bool
    window_includes_output: bool


def _current(name: str, display_name: str, *, window: int, minimum: int) -> ModelProfile:
    return ModelProfile(
        name=name,
        display_name=display_name,
        context_window=window,
        max_output=128_000,
        cacheable_minimum=minimum,
        prefill=False,
        sampling=False,
        manual_thinking=False,
        adaptive_thinking=True,
        binds_thinking=True,
        system_messages=True,
        window_includes_output=False,
    )


_SONNET_4_5 = ModelProfile(
    name="claude-sonnet-4-5",
    display_name="Claude Sonnet 4.5",
    context_window=200_000,
    max_output=64_000,
    cacheable_minimum=1024,
    prefill=True,
    sampling=True,
    manual_thinking=True,
    adaptive_thinking=False,
    binds_thinking=False,
    system_messages=False,
    window_includes_output=True,
)

PROFILES = {
    profile.name: profile
    for profile in (
        _current("claude-haiku-5-5", "Claude Haiku 5.5", window=200_000, minimum=4096),
        _current("claude-sonnet-5-5", "Claude Sonnet 5.5", window=1_000_000, minimum=1024),
        _current("claude-opus-5-5", "Claude Opus 5.5", window=1_000_000, minimum=4096),
        _SONNET_4_5,
    )
}
