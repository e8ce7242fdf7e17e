"""What a turn sees around it: surroundings, place and model."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from bot.domain.chat import Chat
from bot.domain.exchange import ModelProfile
from bot.flow.context import Context, Surroundings
from bot.flow.model_calls import ModelCalls
from bot.flow.work import Work
from bot.ports.tool import Place

Workspaces: TypeAlias = Callable[[Chat, int], Awaitable[Path]]
"""The folder that calls of a person in a chat may touch."""


@dataclass(frozen=True, slots=True)
class Scene:
    """Fixed while a turn runs, but for the model when a fallback takes over."""

    surroundings: Surroundings
    place: Place
    profile: ModelProfile


class Scenes:
    def __init__(self, context: Context, models: ModelCalls, workspaces: Workspaces) -> None:
        self._context = context
        self._models = models
        self._workspaces = workspaces

    async def of(self, work: Work) -> Scene:
        """The scene of a turn; raises ModelDenied when its model is not set up any more."""
        chat, turn = work.log.chat, work.turn
        place = Place(
            workspace=await self._workspaces(chat, turn.asker),
            chat=chat.id,
            turn=turn.id,
            conversation=turn.conversation,
            person=turn.asker,
            timezone=chat.timezone or "UTC",
        )
        return Scene(self._context.of(chat.id), place, self._models.profile(turn.model))
