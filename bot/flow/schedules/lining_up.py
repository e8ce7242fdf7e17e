"""Puts the runs from before the start into the line again, as their rows tell."""

from bot.domain.turn.turn import TurnState
from bot.flow.schedules.gate import RunGate
from bot.ports.turns import TurnRows


async def line_up(turns: TurnRows, gate: RunGate) -> None:
    """Lines up all runs that are queued, behind the chats whose run had begun.

    To be called before chats are woken and before the clock of tasks adds runs of its own.
    """
    rows = await turns.at_work("task")
    for turn in sorted(rows, key=lambda one: one.state is not TurnState.RUNNING):
        gate.add(turn.id, turn.chat)
