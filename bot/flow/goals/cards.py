"""The cards of a goal that has not begun: only the newest one of a goal has buttons."""

from dataclasses import replace

from bot.domain.assignments.goal import Goal
from bot.domain.change import Show
from bot.domain.change.erasing import COMMANDS
from bot.domain.talk.message import Markdown, Outbound, OutboundKind
from bot.domain.text.names import named
from bot.flow.commanding.choices import choice
from bot.flow.commanding.table import Invocation, answer_key
from bot.ports.outbox import Outbox, OutboxRow

_REPLACED = "A newer card of this goal is below."


class GoalCards:
    def __init__(self, outbox: Outbox) -> None:
        self._outbox = outbox

    async def replaced(self, asked: Invocation, goal: Goal) -> tuple[Show, ...]:
        """Returns the writes that take the buttons off older cards of a goal.

        The answer to this command shows the newest card; a press shows it in its own message.
        """
        (start,) = choice("", "goals", "start", goal.id)
        told = Markdown(f"🎯 **{named(goal.name)}**\n\n{_REPLACED}")
        return tuple(
            Show(row.key, row.chat, _without_buttons(row, told))
            for row in await self._outbox.pressable(COMMANDS)
            if row.chat == asked.chat.id
            and row.key != answer_key(asked.row)
            and asked.message.message_id not in row.message_ids
            and any(button.data == start.data for line in row.content.buttons for button in line)
        )


def _without_buttons(row: OutboxRow, told: Markdown) -> Outbound:
    return replace(row.content, kind=OutboundKind.NOTICE, blocks=(told,), buttons=(), waits=False)
