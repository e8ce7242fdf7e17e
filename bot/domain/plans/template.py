"""Ready-made plans: plans to be made again, as text with named blanks."""

import json
import re
import shlex
from collections.abc import Mapping, Sequence

from bot.domain.plans.plan import Plan, PlanStep
from bot.domain.skills.skill import USE
from bot.domain.text.names import plain_name
from bot.domain.value import frozen

NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
LONGEST_NAME = 64

_SKILLS = f"A step that names a skill needs it at work: call {USE} with that skill before it."

_BLANK = re.compile(r"\{\{\s*([a-z][a-z0-9_]*)\s*\}\}")


def is_name(text: str) -> bool:
    """Returns true for a valid name of a ready-made plan: lower-case words with dashes, no path."""
    return len(text) <= LONGEST_NAME and NAME.fullmatch(text) is not None


@frozen
class Argument:
    """A blank of a ready-made plan; one without a default must be given."""

    name: str
    description: str = ""
    default: str | None = None


@frozen
class Template:
    """A plan as Markdown with numbered steps, in which `{{name}}` stands for an argument."""

    name: str
    description: str
    arguments: tuple[Argument, ...]
    text: str

    @property
    def form(self) -> str:
        """Returns its usage: `report <folder> [title]`."""
        blanks = (f"<{a.name}>" if a.default is None else f"[{a.name}]" for a in self.arguments)
        return " ".join((self.name, *blanks))

    def filled(self, words: str) -> str:
        """Returns the text with its blanks filled; raises ValueError with a sentence."""
        given = self._given(_split(words))
        missing = [a.name for a in self.arguments if a.default is None and a.name not in given]
        if missing:
            raise ValueError(f"Which {' and '.join(missing)}? Usage: /plan use {self.form}")
        values = {a.name: given.get(a.name, a.default or "") for a in self.arguments}
        return _BLANK.sub(lambda blank: values.get(blank[1], blank[0]), self.text)

    def _given(self, words: Sequence[str]) -> Mapping[str, str]:
        """Returns values by name; words without `name=` fill in order, the last takes the rest."""
        names = [a.name for a in self.arguments]
        given: dict[str, str] = {}
        loose: list[str] = []
        for word in words:
            name, sign, value = word.partition("=")
            if sign and name in names:
                given[name] = value
            else:
                loose.append(word)
        left = [name for name in names if name not in given]
        if loose and not left:
            raise ValueError(f"That is too much. Usage: /plan use {self.form}")
        for place, name in enumerate(left[: len(loose)]):
            last = place == len(left) - 1
            given[name] = " ".join(loose[place:]) if last else loose[place]
        return given


def blanks(text: str) -> frozenset[str]:
    """Returns the names of the blanks in a text."""
    return frozenset(_BLANK.findall(text))


def _split(words: str) -> list[str]:
    try:
        return shlex.split(words)
    except ValueError:
        return words.split()


def template_of(plan: Plan, name: str) -> Template:
    """Returns a plan as a ready-made one.

    Each step has its number, tool, skills and exact arguments.
    """
    told = _SKILLS if any(step.needs for step in plan.steps) else ""
    parts = (plan.summary.strip(), told, *map(_written, plan.steps))
    text = "\n\n".join(part for part in parts if part)
    return Template(name, plain_name(plan.title, "A saved plan"), (), text)


def _written(step: PlanStep) -> str:
    under = f" (with the skill {' and '.join(dict.fromkeys(step.needs))})" if step.needs else ""
    return f"{step.number}. {step.tool}{under}\n\n   {json.dumps(json.loads(step.arguments))}"


def instructed(template: Template, text: str) -> str:
    """Returns the request to the model for a ready-made plan whose blanks are filled."""
    return (
        f"Please plan this after the template “{template.name}” ({template.description}). Record "
        f"a call for each of its steps; leave out what does not fit, and say so.\n\n{text}"
    )
