"""Between plans and templates: a plan written down, and a template put to the model."""

import json

from bot.domain.plan import Plan, PlanStep
from bot.domain.skill import USE
from bot.domain.template import Template
from bot.domain.tool import clipped

_SKILLS = f"A step that names a skill needs it at work: call {USE} with that skill before it."


def template_of(plan: Plan, name: str) -> Template:
    """A plan as a template: each step a number with its tool, skill and exact arguments."""
    title = " ".join(plan.title.split()) or "A saved plan"
    told = _SKILLS if any(step.needs for step in plan.steps) else ""
    parts = (plan.summary.strip(), told, *map(_written, plan.steps))
    text = "\n\n".join(part for part in parts if part)
    return Template(name, clipped(title, 200), (), text)


def _written(step: PlanStep) -> str:
    under = f" (with the skill {' and '.join(dict.fromkeys(step.needs))})" if step.needs else ""
    return f"{step.number}. {step.tool}{under}\n\n   {json.dumps(json.loads(step.arguments))}"


def instructed(template: Template, text: str) -> str:
    """What a template says to the model, its blanks filled."""
    return (
        f"Please plan this after the template “{template.name}” ({template.description}). Record "
        f"a call for each of its steps; leave out what does not fit, and say so.\n\n{text}"
    )
