"""Chores: turns that ask no model for an answer, such as a summary that a person wanted."""

from typing import Protocol

from bot.domain.change import Show
from bot.domain.talk.message import Call, Markdown, Outbound, OutboundKind
from bot.domain.turn.outcome import StopReason
from bot.domain.turn.turn import TurnState
from bot.flow.log.work import Work
from bot.flow.models.compaction import Compaction
from bot.flow.turn.scene import Scenes

_EVERYTHING = 1_000.0
"""A fill level of the window at which no old turn may stay."""
_MADE = (
    "From now on I have a summary of this conversation before me, and not every word. /undo takes "
    "the summary back."
)


class Chore(Protocol):
    async def do(self, work: Work) -> None:
        """Does the work of the turn and settles it; it begins anew after a death."""
        ...


class Summarising:
    """Makes a summary of everything before the turn, because a person asked for room."""

    def __init__(self, compaction: Compaction, scenes: Scenes) -> None:
        self._compaction = compaction
        self._scenes = scenes

    async def do(self, work: Work) -> None:
        scene = await self._scenes.of(work)
        made = await self._compaction.make_room(work, scene.profile, fill=_EVERYTHING)
        told = _MADE if made else "There is nothing to summarise yet."
        content = Outbound(OutboundKind.NOTICE, (Markdown(told),))
        settled = work.counted(
            state=TurnState.SETTLED, stop_reason=StopReason.FINAL_ANSWER, ended_at=work.clock.now()
        )
        turn = work.turn
        show = Show(f"answer:{turn.id}", turn.chat, content, about=turn.id, call=Call.DONE)
        await work.write(turn=settled, also=(show,), durable=True)
