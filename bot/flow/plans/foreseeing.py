"""Foresees a step of a plan in the light of the steps before it."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from posixpath import normpath
from typing import Any

from bot.domain.plans.plan import Plan, PlanStep
from bot.domain.talk.message import Plain
from bot.domain.tools.arguments import parse_arguments
from bot.domain.tools.foresight import unforeseen
from bot.domain.tools.tool import Preview, ToolCall

_COMMAND = "run_command"
_WRITERS = frozenset({"write_file", "edit_file"})


def foreseen_after(call: ToolCall, preview: Preview, earlier: Sequence[PlanStep]) -> Preview:
    """Returns the preview of a step behind these.

    A call that cannot be done as things are now may be possible then, when a step before it has
    written the file. A command may have made it too; nobody can tell.
    """
    path = _path(call.arguments or {})
    if not preview.fault or not path:
        return preview
    wrote = [step for step in earlier if step.tool in _WRITERS and path == _path(_arguments(step))]
    ran = [step for step in earlier if step.tool == _COMMAND]
    if not wrote and not ran:
        return preview
    told = f"Step {ran[-1].number} may make this file; it is not there yet." if ran else ""
    told = f"Uses the file as step {wrote[-1].number} leaves it." if wrote else told
    bare = unforeseen(call, preview.effect)
    told_aside = (*bare.blocks, Plain(told, style="aside"))
    return replace(bare, blocks=told_aside, reach=preview.reach)


def may_have_changed(step: PlanStep, plan: Plan) -> bool:
    """Returns True when the plan itself may have changed the file of a step, or when it has none.

    Steps that ran before may have written it, and so may an earlier try of the step.
    """
    path = _path(_arguments(step))
    ran = [other for other in plan.steps if other.call]
    return not path or any(
        other.tool == _COMMAND or path == _path(_arguments(other)) for other in ran
    )


def _arguments(step: PlanStep) -> Mapping[str, Any]:
    return parse_arguments(step.arguments)[0] or {}


def _path(arguments: Mapping[str, Any]) -> str:
    path = arguments.get("path")
    return normpath(path.strip()) if isinstance(path, str) and path.strip() else ""
