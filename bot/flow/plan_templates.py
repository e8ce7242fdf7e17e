"""Between plans and templates: a plan written down, and a template put to the model."""

import json

from bot.domain.plan import Plan
from bot.domain.template import Template
from bot.domain.tool import clipped


def template_of(plan: Plan, name: str) -> Template:
    """A plan as a template: each step a number with its tool and exact arguments."""
    title = " ".join(plan.title.split()) or "A saved plan"
    steps = [
        f"{step.number}. {step.tool}\n\n   {json.dumps(json.loads(step.arguments))}"
        for step in plan.steps
    ]
    text = "\n\n".join(part for part in (plan.summary.strip(), *steps) if part)
    return Template(name, clipped(title, 200), (), text)


def instructed(template: Template, text: str) -> str:
    """What a template says to the model, its blanks filled."""
    return (
        f"Please plan this after the template “{template.name}” ({template.description}). Record "
        f"a call for each of its steps; leave out what does not fit, and say so.\n\n{text}"
    )
