"""The steps of a plan in a turn: records calls, matches them, and notes their results."""

from collections.abc import Mapping, Sequence

from bot.domain.change import AddAudit
from bot.domain.plans.plan import Plan, PlanStep, after_results, matched
from bot.domain.skills.skill import Skill
from bot.domain.text.visible_text import clipped, visible
from bot.domain.tools.foresight import unforeseen
from bot.domain.tools.tool import Code, Effect, Status, ToolCall, ToolResult
from bot.domain.turn.step import AskFirst, Gate, Refuse, Run
from bot.domain.value import frozen, replace
from bot.flow.log.closing import synthetic
from bot.flow.log.work import Work
from bot.flow.plans.foreseeing import foreseen_after
from bot.ports.tool import Tool

_LONGEST_DESCRIPTION = 140


@frozen
class Recorded:
    """The calls of a round as new steps of a plan, with their results; no call has run."""

    steps: tuple[PlanStep, ...]
    results: tuple[ToolResult, ...]


def recorded(
    plan: Plan,
    calls: Sequence[ToolCall],
    gates: Mapping[str, Gate],
    tools: Mapping[str, Tool],
    skill: Skill | None,
    most: int,
) -> Recorded:
    """Returns the steps for these calls under a skill; a plan holds at most `most` of them."""
    steps: list[PlanStep] = []
    results: list[ToolResult] = []
    for call in calls:
        number = len(plan.steps) + len(steps) + 1
        if number > most:
            text = f"Not recorded: a plan has at most {most} steps."
            results.append(synthetic(call, Refuse(Status.SKIPPED, Code.LIMIT, text)))
            continue
        step = _step(number, call, gates[call.id], skill, tools.get(call.name))
        foreseen = foreseen_after(call, step.preview, (*plan.steps, *steps))
        steps.append(replace(step, preview=foreseen))
        text = f"Recorded as step {number} of the plan. It did not run."
        results.append(ToolResult(call.id, call.name, Status.PLANNED, text, synthetic=True))
    return Recorded(tuple(steps), tuple(results))


def _step(
    number: int, call: ToolCall, gate: Gate, skill: Skill | None, tool: Tool | None
) -> PlanStep:
    preview = gate.preview if isinstance(gate, AskFirst | Run) else None
    if preview is None:
        preview = unforeseen(call, Effect.READ)
    told = clipped(" ".join(visible(preview.subject).split()), _LONGEST_DESCRIPTION)
    step = PlanStep(number, call.name, call.canonical, told, preview.effect, preview)
    return replace(step, skill=skill and skill.name, lender=tool and tool.spec.lender)


def steps_at_hand(work: Work, plan: Plan | None) -> Mapping[str, PlanStep]:
    """Returns the open calls that match steps of an approved plan exactly, each step once."""
    if plan is None or not plan.executing:
        return {}
    return matched(plan, [c.call for c in work.progress.open_calls])


@frozen
class Progressed:
    """A plan after results, with the changed steps and their lines in the record."""

    plan: Plan
    changed: tuple[PlanStep, ...]
    lines: tuple[AddAudit, ...]


def progressed(
    work: Work, plan: Plan, results: Sequence[tuple[ToolCall, ToolResult]]
) -> Progressed | None:
    """Returns the plan after these results; None when no result belongs to a step."""
    # Results are not matched again: of two equal open calls the second may get its result first.
    grown = after_results(plan, steps_at_hand(work, plan), [result for _, result in results])
    if grown is None:
        return None
    changed = changes(grown, plan)
    return Progressed(grown, changed, tuple(_line(work, grown, step) for step in changed))


def changes(plan: Plan, before: Plan) -> tuple[PlanStep, ...]:
    """Returns the steps that have changed since before."""
    return tuple(s for s, old in zip(plan.steps, before.steps, strict=True) if s != old)


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
