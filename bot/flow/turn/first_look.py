"""Looks at a call before it runs: what its tool says that it will do, or why it cannot run."""

import difflib
from collections.abc import Mapping
from dataclasses import replace

from bot.domain.consent.approval import Approval
from bot.domain.consent.consent import Difference, outdated
from bot.domain.consent.secret_names import opens_secret
from bot.domain.talk.errors import InvalidArguments, ToolFailure
from bot.domain.text.visible_text import clipped
from bot.domain.tools.foresight import unforeseen
from bot.domain.tools.tool import Code, Effect, Preview, Status, ToolCall
from bot.domain.turn.step import AskFirst, Refuse, Run
from bot.ports.tool import Place, Tool

_LONGEST_PLACE = 200
_OTHERWISE = "You approved it as it was before; now it would run as shown here"


async def first_look(
    call: ToolCall, tools: Mapping[str, Tool], place: Place, *, ahead: bool, carries: bool
) -> Preview | Run | Refuse:
    """Returns the preview of a call, or its gate if it only reads or cannot run.

    One that only reads has a preview when it `carries` data out, or opens a file whose name is one
    of a secret. With `ahead`, a call that its
    tool cannot preview yet gets a preview of its arguments.
    """
    tool = tools.get(call.name)
    if tool is None:
        return Refuse(Status.INVALID, Code.UNKNOWN_TOOL, _unknown(call.name, list(tools)))
    if why := place.refusal(call.name):
        return Refuse(Status.BLOCKED, Code.POLICY, f"Not run: {why}")
    if call.arguments is None:
        text = f"The arguments are not a JSON object: {call.fault or 'unreadable'}"
        return Refuse(Status.INVALID, Code.ARGUMENTS, text)
    try:
        tool.check(call.arguments)
        asks = carries or opens_secret(call, str(place.workspace))
        reads = tool.spec.effect is Effect.READ and not asks
        if reads and not (ahead and tool.spec.planned):
            return Run(Effect.READ)
        return await tool.preview(call.arguments, place)
    except InvalidArguments as fault:
        return Refuse(Status.INVALID, Code.ARGUMENTS, str(fault))
    except ToolFailure as fault:
        if ahead:
            unseen = unforeseen(call, tool.spec.effect, str(fault))
            return replace(unseen, reach=place.reach(tool.spec.reach))
        return Refuse(Status.FAILED, Code.ERROR, str(fault))


async def asked_anew(
    card: Approval, call: ToolCall, tools: Mapping[str, Tool], place: Place
) -> AskFirst | None:
    """Returns a new card for an approved call that would run in another way than was shown.

    An upgrade or the loss of the sandbox may have come since, or a skill with variables.
    """
    lends = place.skill is not None and bool(place.skill.environment)
    if not (lends or card.preview.surroundings.where):
        return None
    now = await first_look(call, tools, place, ahead=False, carries=False)
    if not isinstance(now, Preview):
        return None
    match outdated(card, now):
        case None:
            return None
        case Difference.PLACE:
            shown = clipped(card.preview.where, _LONGEST_PLACE)
            why = f"You approved it for another place: {shown}" if shown else _OTHERWISE
        case _:
            why = _OTHERWISE
    return AskFirst(now.explained(why))


def _unknown(name: str, known: list[str]) -> str:
    near = difflib.get_close_matches(name, known, n=1)
    hint = f" Did you mean {near[0]}?" if near else ""
    return f"There is no tool named {name!r}.{hint} Tools: {', '.join(known)}."
