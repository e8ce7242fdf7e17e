"""The fixed circumstances of a running turn: system text, tools, place and model."""

from bot.domain.clock.zones import Zones
from bot.domain.money.model import ModelProfile
from bot.domain.money.trouble import ModelTrouble
from bot.domain.talk.chat import Chat
from bot.domain.tools.server import ServerCondition
from bot.domain.tools.tool import ToolSpec
from bot.domain.value import frozen
from bot.flow.log.companions import Companions
from bot.flow.log.history import ChatLog
from bot.flow.log.request_view import ViewFold
from bot.flow.log.work import Work
from bot.flow.models.leaning import Leanings
from bot.flow.models.model_calls import ModelCalls
from bot.flow.models.preamble import Preamble, PreambleMaker
from bot.flow.world import Workspaces
from bot.ports.tool import Place


@frozen
class Scene:
    """The circumstances of a running turn; only the model changes, when a fallback takes over."""

    preamble: Preamble
    place: Place
    profile: ModelProfile
    offered: tuple[ToolSpec, ...] = ()
    """The tools that the model is offered in this round."""

    @property
    def epoch(self) -> str:
        """Returns a short name for exactly the system text and the tools of this round."""
        own = (spec.name for spec in self.offered if spec.hosted or spec.switches)
        return "+".join((self.preamble.epoch, *own))

    def fold(self, log: ChatLog, images: int) -> ViewFold:
        """Returns the log as the model of this scene reads it, with at most so many pictures."""
        return log.fold(self.profile, images, self.preamble.tokens)


@frozen
class Outlook:
    """A scene and the state of the requests to its model, from one step to the next."""

    scene: Scene
    overflow: bool = False
    """True when the provider found the last request too long."""
    packed: bool = False
    """True when nothing is left to cut from the view."""
    mended: bool = False
    """True when a refused request was changed once."""
    fallen: bool = False
    """True when a fallback answers in the place of the wanted model."""
    fleeting: bool = False
    """True when one of the models that failed may answer later."""
    trouble: ModelTrouble | None = None
    """The trouble of the wanted model, once it has failed."""


@frozen
class Scenes:
    _preamble: PreambleMaker
    _models: ModelCalls
    _workspaces: Workspaces
    _companions: Companions
    _zones: Zones
    _leanings: Leanings

    async def of(self, work: Work) -> Scene:
        """Returns the scene of a turn; raises ModelDenied when its model is not set up any more."""
        chat, turn = work.log.chat, work.turn
        folder = await self._workspaces(chat, work.asker or turn.asker)
        place = Place(
            workspace=folder.path,
            own=folder.own,
            project=folder.project,
            chat=chat.shown_in,
            turn=turn.id,
            conversation=turn.conversation,
            person=turn.asker,
            timezone=self._zones.of(work.asker, chat),
            task=work.task,
            mandate=turn.mandate,
        )
        lenders = await self._companions.started(work)
        withheld = self._companions.withheld(work)
        preamble = await self._preamble.during(
            chat, turn.id, lenders, lambda: self._leanings.of(work.log)
        )
        preamble = preamble.without(withheld)
        return Scene(preamble.only(turn.mandate.tools), place, self._models.profile(turn.model))

    async def rest(self, chat: Chat) -> None:
        """Tells the maker of preambles that a chat has nothing to do."""
        await self._preamble.rest(chat)

    async def servers(self, work: Work) -> tuple[ServerCondition, ...]:
        """Returns the present state of the servers of the chat."""
        return tuple(await self._preamble.servers(work.log.chat))
