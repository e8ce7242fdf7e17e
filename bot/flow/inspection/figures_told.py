"""The figures of a turn: how it ended, its time, tokens and cost."""

from collections.abc import Iterator, Sequence

from bot.domain.clock.span import figure, took
from bot.domain.money.budget import CallKind
from bot.domain.money.money import told_sum
from bot.domain.turn.outcome import StopReason
from bot.flow.explaining.story import TurnStory
from bot.flow.inspection.steps import Step
from bot.ports.turn_page import Figure

_ENDS = {
    StopReason.FINAL_ANSWER: "Answered",
    StopReason.WAITING_FOR_USER: "With a question",
    StopReason.SET_ASIDE: "Set aside",
    StopReason.MAX_ROUNDS: "Rounds used up",
    StopReason.DEADLINE: "Time used up",
    StopReason.REPEAT_GUARD: "Repeated itself",
    StopReason.TOOL_FAILURE_POLICY: "Same error again",
    StopReason.USER_CANCELLED: "Stopped",
    StopReason.EXPIRED: "Nobody decided",
    StopReason.PLAN_READY: "Plan ready",
    StopReason.PIPELINE_DEPTH: "Too many skills",
    StopReason.BUDGET: "Budget used up",
    StopReason.REFUSAL: "Refused",
    StopReason.MODEL_FAILURE: "No model answered",
    StopReason.INTERNAL_FAILURE: "A fault stopped it",
}
"""The end of a turn in two or three words; the list of decisions has a sentence."""


def figures_of(story: TurnStory, steps: Sequence[Step], whole: float) -> Iterator[Figure]:
    """Yields the figures in the order of the page; `whole` is in seconds."""
    turn, usage = story.turn, story.usage
    yield Figure("Ended", _ENDS[turn.stop_reason] if turn.stop_reason else "not yet")
    yield Figure("In all", figure(whole))
    waited = sum(one.time.seconds for one in steps if one.time and one.kind == "person")
    if waited:
        yield Figure("Waited for people", figure(waited))
    yield Figure("Worked", took(turn.worked_ms / 1000))
    origins = (one.reply.provenance for one in story.rounds)
    models = {f"{one.provider}/{one.requested_model}" for one in origins}
    yield Figure("Model", ", ".join(sorted(models)) or "none")
    yield Figure("Tokens", _tokens(story))
    if usage.prompt:
        yield Figure("From cache", f"{usage.cache_read * 100 // usage.prompt} %")
    paid = [*story.record.paid, *(one for helper in story.helpers for one in helper.paid)]
    guessed = any(one.estimated for one in paid)
    cost = told_sum([one.cost for one in paid], estimated=guessed)
    yield Figure("Cost", cost or "not known")


def _tokens(story: TurnStory) -> str:
    """Returns the tokens of a turn with its helpers; those nobody has counted are estimated."""
    paid = [one for one in story.record.paid if one.kind is CallKind.ANSWER]
    every = sum(one.usage.prompt + one.usage.output for one in paid)
    return f"≈ {every:,}" if any(one.estimated for one in paid) else f"{every:,}"
