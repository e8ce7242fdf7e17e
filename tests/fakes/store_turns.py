"""Turns in memory: how a change alters them."""

from dataclasses import replace
from typing import TYPE_CHECKING

from bot.domain.change import AskStop, CountStart, EndRest, EndWays, SaveTurn
from bot.domain.talk.errors import Conflict
from bot.domain.turn.turn import TurnState, WaysOn

if TYPE_CHECKING:
    from tests.fakes.store_rows import Rows


def write_turn(rows: "Rows", write: SaveTurn | AskStop | CountStart | EndRest | EndWays) -> None:
    if isinstance(write, SaveTurn):
        rows.chat(write.turn.chat)
        known = rows.turns.get(write.turn.id)
        asked = None if known is None else known.stop_asked
        rows.turns[write.turn.id] = replace(write.turn, stop_asked=asked)
        return
    turn = rows.turns.get(write.turn)
    if isinstance(write, CountStart):
        if turn is not None and turn.state is TurnState.RUNNING:
            counted = replace(turn, attempts=turn.attempts + 1, held_back=False)
            rows.turns[turn.id] = counted
        return
    if isinstance(write, EndRest):
        if turn is None or (turn.state, turn.rests) != (TurnState.RESTING, write.rest):
            raise Conflict(f"turn {write.turn} is not in its rest {write.rest}")
        rows.turns[turn.id] = replace(turn, rests_until=write.at)
        return
    if isinstance(write, EndWays):
        if turn is None or turn.ways_on is not WaysOn.OPEN:
            raise Conflict(f"the buttons below turn {write.turn} are not open")
        rows.turns[turn.id] = replace(turn, ways_on=write.how)
        return
    if turn is not None and turn.state is not TurnState.SETTLED:
        rows.turns[turn.id] = replace(turn, stop_asked=write.how)
