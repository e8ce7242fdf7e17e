"""The texts about plans: `/plan` with its wish, and the notes to the model."""

from dataclasses import replace

from bot.domain.plans.plan import APPROVED_NOTE, COLLECTING_NOTE, Plan, PlanStep, StepState
from bot.domain.talk.bundle import Bundle
from bot.domain.text.names import quoted_name
from bot.domain.turn.transcript import NoteBody

PLAN = "/plan"
"""The command; with a wish behind it, it waits in the queue like any message."""


def note(plan: Plan) -> NoteBody:
    """Returns the entry that tells the model to collect this plan, or to execute it."""
    return NoteBody("plan", _to_collect(plan) if plan.collecting else _to_execute(plan))


def _to_collect(plan: Plan) -> str:
    if plan.steps:
        stand = f"{len(plan.steps)} steps are recorded already; go on from there."
    elif plan.revision > 1:
        stand = "The earlier version is withdrawn: record every step of the new one."
    else:
        stand = "No step is recorded yet."
    return (
        f"{COLLECTING_NOTE} The person wants to see a plan first. A call that would change "
        "something, or send something, does not run now: it is recorded as a step and answered "
        "PLANNED. Make every call the work needs, in order and with its final arguments, and do "
        "not count on results of planned calls. Then call submit_plan, or end with a short text "
        f"about the plan. {stand}"
    )


def _to_execute(plan: Plan) -> str:
    head = (
        f"{APPROVED_NOTE} {quoted_name(plan.title or 'The plan')} was approved. "
        "Carry out its open steps now, in order, as calls with exactly these arguments: each of "
        "them runs once without asking. Read what you need in between; any other change asks. "
        "At the end say briefly what was done."
    )
    return "\n".join([head, *(_told(step) for step in plan.steps)])


def _told(step: PlanStep) -> str:
    if step.state is StepState.OPEN:
        return f"{step.number}. {step.tool} {step.arguments}"
    return f"{step.number}. [{step.state.value}] {step.tool}: {step.outcome}"


def wish_of(text: str) -> str:
    """Returns the text behind the name of a command, with its line breaks."""
    return "".join(text.split(maxsplit=1)[1:]).strip()


def worded(bundle: Bundle, plan: Plan) -> Bundle:
    """Returns the message that asked for the plan, without its command.

    The text of a ready-made plan replaces it; any other message stays as it is.
    """
    first, *rest = bundle.messages
    if plan.message != first.message_id or not first.text.startswith("/"):
        return bundle
    text = plan.wish or wish_of(first.text)
    return replace(bundle, messages=(replace(first, text=text), *rest))
