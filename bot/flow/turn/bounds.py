"""Holds the calls of a turn to its mandate: a turn that may only read changes and asks nothing."""

from collections.abc import Mapping

from bot.domain.tools.house import END_CONVERSATION
from bot.domain.tools.tool import Code, Effect, Status, ToolCall
from bot.domain.turn.mandate import Mandate
from bot.domain.turn.step import AskFirst, Elsewhere, Gate, Refuse
from bot.ports.tool import Tool

ONLY_READS = Refuse(
    Status.BLOCKED, Code.POLICY, "Not run: this run may only read. Report what you would change."
)
NO_CARD = Refuse(
    Status.BLOCKED,
    Code.POLICY,
    "Not run: it would need a card, and this run may only read. Report what you would do.",
)


def refusal_of(call: ToolCall, mandate: Mandate, tools: Mapping[str, Tool]) -> Refuse | None:
    """Returns the refusal of a call that changes something in a turn that may only read.

    The end of the conversation would close open cards and let the next message start afresh.
    """
    tool = tools.get(call.name)
    changes = tool is not None and tool.spec.effect is not Effect.READ
    changes = changes or call.name == END_CONVERSATION
    return ONLY_READS if mandate.readonly and changes else None


def bounded(gate: Gate, mandate: Mandate) -> Gate:
    """Returns the gate of a call within the mandate: no card, and nothing that needs consent."""
    if not mandate.readonly or isinstance(gate, Refuse | Elsewhere):
        return gate
    if isinstance(gate, AskFirst):
        return ONLY_READS if gate.preview.effect is not Effect.READ else NO_CARD
    return gate if gate.effect is Effect.READ else ONLY_READS
