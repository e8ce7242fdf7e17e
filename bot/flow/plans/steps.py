"""A turn that works on a plan: what opens it, the steps it records, and how they go on."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace

from bot.domain.change import AddAudit, SavePlan, Show, Write
from bot.domain.plan import (
    APPROVED_NOTE,
    COLLECTING_NOTE,
    Plan,
    PlanState,
    PlanStep,
    StepState,
    after_results,
    matched,
)
from bot.domain.skill import Skill, SkillSet
from bot.domain.step import AskFirst, Gate, Refuse, Run
from bot.domain.tool import Code, Effect, Preview, Status, ToolCall, ToolResult, clipped
from bot.domain.transcript import Body, NoteBody, ResultBody
from bot.domain.turn import TurnState
from bot.domain.visible_text import visible
from bot.flow.log.closing import synthetic
from bot.flow.log.work import Work
from bot.flow.plans.cards import described, shown
from bot.ports.tool import Place, Tool

PLAN = "/plan"
"""The command; with a wish behind it the message waits its turn like any other."""

_LONGEST_DESCRIPTION = 140
_CARD_EVERY = 1.0
"""Seconds between two looks of a card while steps go on."""


def opening(plan: Plan | None) -> tuple[Body, ...]:
    """What a turn that works on this plan is told first."""
    if plan is None:
        return ()
    return (NoteBody("plan", _to_collect(plan) if plan.collecting else _to_execute(plan)),)


def _to_collect(plan: Plan) -> str:
    if plan.steps:
        stand = f"{len(plan.steps)} steps are recorded already; go on from there."
    elif plan.revision > 1:
        stand = "The earlier version is withdrawn: record every step of the new one."
    else:
        stand = "No step is recorded yet."
    return (
        f"{COLLECTING_NOTE} The person wants to see a plan first. A call that would change "
        "something does not run now: it is recorded as a step and answered PLANNED. Make every "
        "call the work needs, in order and with its final arguments, and do not count on results "
        f"of planned calls. Then call submit_plan, or end with a short text about the plan. {stand}"
    )


def _to_execute(plan: Plan) -> str:
    head = (
        f"{APPROVED_NOTE} {json.dumps(plan.title or 'The plan', ensure_ascii=False)} was approved. "
        "Carry out its open steps now, in order, as calls with exactly these arguments: each of "
        "them runs once without asking. Read what you need in between; any other change asks. "
        "At the end say briefly what was done."
    )
    return "\n".join([head, *(_told(step) for step in plan.steps)])


def _told(step: PlanStep) -> str:
    if step.state is StepState.OPEN:
        return f"{step.number}. {step.tool} {step.arguments}"
    return f"{step.number}. [{step.state.value}] {step.tool}: {step.outcome}"


def begun(work: Work) -> tuple[Plan | None, tuple[Write, ...]]:
    """The plan and its writes when a queued turn starts to execute it."""
    plan = work.plan
    if plan is None or plan.state is not PlanState.APPROVED:
        return plan, ()
    moved = plan.moved(PlanState.EXECUTING)
    return moved, (SavePlan(moved, plan.version),)


def wish_of(text: str) -> str:
    """What stands behind a command's name, lines and all."""
    return "".join(text.split(maxsplit=1)[1:]).strip()


async def record(
    work: Work,
    skills: SkillSet,
    tools: Mapping[str, Tool],
    calls: Sequence[ToolCall],
    gates: Mapping[str, Gate],
    most: int,
) -> None:
    """Keeps calls as steps and answers them PLANNED, in one transaction; none of them runs."""
    plan = work.plan
    if plan is None:
        raise ValueError("there is no plan to record a step in")
    steps: list[PlanStep] = []
    results: list[ToolResult] = []
    for call in calls:
        number = len(plan.steps) + len(steps) + 1
        if number > most:
            text = f"Not recorded: a plan has at most {most} steps."
            results.append(synthetic(call, Refuse(Status.SKIPPED, Code.LIMIT, text)))
            continue
        steps.append(
            _step(
                number, call, gates[call.id], skills.usable(work.turn.skill), tools.get(call.name)
            )
        )
        text = f"Recorded as step {number} of the plan. It did not run."
        results.append(ToolResult(call.id, call.name, Status.PLANNED, text, synthetic=True))
    grown = plan.with_steps(steps)
    save = (SavePlan(grown, plan.version, tuple(steps)),) if steps else ()
    await work.write(*(ResultBody(result) for result in results), also=save)
    work.plan = grown if steps else plan


def _step(
    number: int, call: ToolCall, gate: Gate, skill: Skill | None, tool: Tool | None
) -> PlanStep:
    preview = gate.preview if isinstance(gate, AskFirst | Run) else None
    if preview is None:
        preview = unforeseen(call, Effect.READ)
    subject = " ".join(visible(preview.subject).split())
    told = subject if subject.startswith(call.name) else f"{call.name} {subject}"
    told = clipped(told.strip(), _LONGEST_DESCRIPTION)
    step = PlanStep(number, call.name, call.canonical, told, preview.effect, preview)
    return replace(step, skill=skill and skill.name, lender=tool and tool.spec.lender)


def unforeseen(call: ToolCall, effect: Effect, why: str = "") -> Preview:
    """All that can be shown of a call whose tool cannot foresee it yet: its arguments."""
    return Preview(call.name, visible(call.subject), effect, (described(call.canonical),), why=why)


def steps_at_hand(work: Work) -> Mapping[str, PlanStep]:
    """The open calls that are steps of an approved plan: exactly these, each step once."""
    if work.plan is None or not work.plan.executing:
        return {}
    return matched(work.plan, [c.call for c in work.progress.open_calls])


def placed(place: Place, step: PlanStep | None, skills: SkillSet) -> Place:
    """Where a call happens: a step in the environment it was planned in, any other as it is."""
    return place if step is None else replace(place, skill=skills.usable(step.skill))


def progressed(
    work: Work, results: Sequence[tuple[ToolCall, ToolResult]]
) -> tuple[Plan | None, list[Write]]:
    """The plan after these results, with its row, its card and its lines in the record."""
    plan = work.plan
    if plan is None or plan.collecting:
        return plan, []
    # Not matched anew: of two equal calls open side by side, the second may be answered first.
    grown = after_results(plan, steps_at_hand(work), [result for _, result in results])
    if grown is None:
        return plan, []
    changed = tuple(s for s, old in zip(grown.steps, plan.steps, strict=True) if s != old)
    writes: list[Write] = [SavePlan(grown, plan.version, changed), *_progress(work, grown)]
    writes.extend(_line(work, grown, step) for step in changed)
    return grown, writes


def _progress(work: Work, plan: Plan) -> list[Show]:
    """The card as it is now, unless it was written a moment ago: no platform shows more."""
    now = work.clock.steady()
    work.card_behind = now < work.card_at + _CARD_EVERY
    if work.card_behind:
        return []
    work.card_at = now
    return shown(plan)


def caught_up(work: Work) -> list[Show]:
    """The card of a plan whose turn is going to wait, if it is behind."""
    behind, work.card_behind = work.card_behind, False
    return shown(work.plan) if behind and work.plan is not None else []


def _line(work: Work, plan: Plan, step: PlanStep) -> AddAudit:
    details = {
        "plan": plan.id,
        "revision": plan.revision,
        "step": step.number,
        "state": step.state.value,
        "call": step.call,
    }
    now, turn = work.clock.now(), work.turn
    return AddAudit(now, turn.chat, turn.asker, "plan.step", step.description, details)


def is_first_start(work: Work) -> bool:
    """Whether a turn that was made for a plan starts for the first time."""
    return work.turn.origin == "plan" and work.turn.state is TurnState.QUEUED
