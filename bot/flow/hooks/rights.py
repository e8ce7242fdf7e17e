"""The rights of the run of a call."""

from collections.abc import Mapping

from bot.domain.hook import HookCall
from bot.domain.step import Refuse
from bot.domain.task import Allowed
from bot.flow.schedules.unwatched import END_CONVERSATION, NOT_ITS_OWN, ONLY_READS, changes
from bot.ports.tool import Tool


def refusal_of(call: HookCall, name: str, tools: Mapping[str, Tool]) -> Refuse | None:
    """Returns the refusal of a tool call; None when the run may make it, perhaps with a card."""
    if call.fresh and name == END_CONVERSATION:
        return NOT_ITS_OWN
    return ONLY_READS if call.allowed is Allowed.READONLY and changes(name, tools) else None
