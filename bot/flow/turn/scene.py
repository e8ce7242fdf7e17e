"""What a turn sees around it: surroundings, place and model."""

from collections.abc import Sequence
from dataclasses import dataclass

from bot.domain.chat import Chat
from bot.domain.model import ModelProfile
from bot.domain.server import ServerStanding
from bot.domain.skill import SkillSet
from bot.flow.log.history import ChatLog
from bot.flow.log.request_view import ViewFold
from bot.flow.log.work import Work
from bot.flow.models.finding import found_before
from bot.flow.models.model_calls import ModelCalls
from bot.flow.models.surroundings import Context, Surroundings
from bot.flow.world import Workspaces
from bot.ports.skills import Skills
from bot.ports.tool import Place


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
        found = found_before(work.log.entries(), turn.id)
        surroundings = await self._context.during(chat, turn.id, lenders, found)
        return Scene(surroundings, place, self._models.profile(turn.model), self._skills.known)

    async def servers(self, work: Work) -> Sequence[ServerStanding]:
        """How the servers of the chat stand now."""
        return await self._context.servers(work.log.chat)

    async def rest(self, chat: Chat) -> None:
        """A chat has nothing to do."""
        await self._context.rest(chat)

    @property
    def skills(self) -> SkillSet:
        """All skills as they are now."""
        return self._skills.known
