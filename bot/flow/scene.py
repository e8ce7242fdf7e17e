"""What a turn sees around it: surroundings, place and model."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from bot.domain.chat import Chat
from bot.domain.exchange import ModelProfile
from bot.domain.skill import SkillSet
from bot.flow.context import Context, Surroundings
from bot.flow.history import ChatLog
from bot.flow.model_calls import ModelCalls
from bot.flow.request_view import ViewFold
from bot.flow.work import Work
from bot.ports.skills import Skills
from bot.ports.tool import Place

Workspaces: TypeAlias = Callable[[Chat, int], Awaitable[Path]]
"""The folder that calls of a person in a chat may touch."""


@dataclass(frozen=True, slots=True)
class Scene:
    """Fixed while a turn runs, but for the model when a fallback takes over."""

    surroundings: Surroundings
    place: Place
    profile: ModelProfile
    skills: SkillSet

    def fold(self, log: ChatLog, images: int) -> ViewFold:
        """The log as the model of this scene reads it, with so many pictures at most."""
        return log.fold(self.profile, images, self.surroundings.tokens)


class Scenes:
    def __init__(
        self, context: Context, models: ModelCalls, workspaces: Workspaces, skills: Skills
    ) -> None:
        self._context = context
        self._skills = skills
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
        lenders = work.plan.lenders if work.plan is not None and work.plan.executing else ()
        surroundings = await self._context.during(chat, turn.id, lenders)
        return Scene(surroundings, place, self._models.profile(turn.model), self._skills.known)

    async def rest(self, chat: Chat) -> None:
        """A chat has nothing to do."""
        await self._context.rest(chat)

    @property
    def skills(self) -> SkillSet:
        """All skills as they are now."""
        return self._skills.known
