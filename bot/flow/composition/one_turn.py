"""One turn: the model, the loop and the settlement; the reading of its message is the way in."""

from functools import cached_property

from bot.flow.approvals.asking import Asking
from bot.flow.composition.chores import ChoreParts
from bot.flow.composition.gate import gatekeeper, tool_runner
from bot.flow.composition.own_companions import OwnCompanions
from bot.flow.composition.people_asked import PeopleAsked
from bot.flow.composition.schedules import ScheduleParts
from bot.flow.composition.speech import SpeechParts
from bot.flow.composition.way_in import WayIn
from bot.flow.composition.way_out import WayOut
from bot.flow.memory.recall import Recall
from bot.flow.models.choosing import Choosing, ModelOffer
from bot.flow.models.leaning import Leanings
from bot.flow.models.lending import Lending
from bot.flow.models.model_calls import ModelCalls
from bot.flow.models.preamble import PreambleMaker
from bot.flow.money.till import Till
from bot.flow.turn.companion import Companions
from bot.flow.turn.conversations import Conversations
from bot.flow.turn.last_word import LastWords
from bot.flow.turn.openings import Openings
from bot.flow.turn.probation import Probation
from bot.flow.turn.replies import Replies
from bot.flow.turn.resting import Resting
from bot.flow.turn.scene import Scenes
from bot.flow.turn.settlement import Settlement
from bot.flow.turn.steering import Steering
from bot.flow.turn.tool_loop import ToolLoop
from bot.flow.turn.turns import Turns
from bot.flow.world import Policy, StorePorts, World


class OneTurn:
    """Builds the parts that run a turn; `others` are companions after those built here."""

    def __init__(
        self,
        store: StorePorts,
        world: World,
        policy: Policy,
        others: Companions,
        way_out: WayOut,
        people_asked: PeopleAsked,
        till: Till | None,
    ) -> None:
        self._store = store
        self._world = world
        self._policy = policy
        self._others = others
        self._way_out = way_out
        self._people_asked = people_asked
        self._till = till

    @cached_property
    def way_in(self) -> WayIn:
        return WayIn(self._store, self._world, self._policy, self._way_out, self._till)

    @cached_property
    def turns(self) -> Turns:
        world, limits = self._world, self._policy.limits
        openings = Openings(
            self._way_out.lives,
            self._store.approvals,
            world.clock,
            self.companions,
            self.choosing,
            limits,
            self._store.people,
        )
        return Turns(
            openings,
            self._loop,
            self._settlement,
            Resting(self.companions, Probation(world.clock, limits.counted_after_seconds)),
            self.chores.by_origin(self._scenes),
            self._scenes,
            self._way_out.lives,
        )

    @cached_property
    def chores(self) -> ChoreParts:
        return ChoreParts(
            self._store,
            self._world,
            self._policy,
            self._way_out,
            self._people_asked,
            self.models,
        )

    @property
    def _scenes(self) -> Scenes:
        return Scenes(
            self.preamble,
            self.models,
            self._world.workspaces,
            self.companions,
            self.way_in.zones,
            Leanings(self._store.chats, self._way_out.journal),
        )

    @cached_property
    def companions(self) -> Companions:
        own = OwnCompanions(self._store, self._world, self._policy)
        zones, ending = self.way_in.zones, self._people_asked.plan_ending
        made = own.made(ending, zones, self.choosing, self.recall, self.till)
        return (*made, *self.schedules.companions, *self._others)

    @cached_property
    def recall(self) -> Recall:
        store, world = self._store, self._world
        journal = self._way_out.journal
        return Recall(store.memory, store.words, world.meaning, journal, world.clock)

    @cached_property
    def _loop(self) -> ToolLoop:
        limits = self._policy.limits
        steering = Steering(
            self._store.inbox, self.way_in.gathering, self._way_out.reactions, self.companions
        )
        replies = Replies(
            self.models,
            steering,
            self.companions,
            self.choosing,
            self._policy.fallbacks,
            limits.images_in_view,
        )
        return ToolLoop(
            replies,
            tool_runner(self._store, self._policy, self._world.clock),
            gatekeeper(self._store, self._policy, self._people_asked.owners, self.companions),
            Asking(self._world.clock, limits),
            self.chores.compaction,
            self.companions,
            limits,
        )

    @cached_property
    def models(self) -> ModelCalls:
        return ModelCalls(self._world.models, self.till, self._world.clock, self._policy.times)

    @cached_property
    def schedules(self) -> ScheduleParts:
        return ScheduleParts(
            self._store,
            self._world,
            self._policy,
            self._way_out,
            self.way_in.zones,
            lambda: self._people_asked.lanes,
        )

    @cached_property
    def speech(self) -> SpeechParts:
        return SpeechParts(self._store, self._world, self.till, self._way_out.journal)

    @property
    def till(self) -> Till:
        return self.way_in.till

    @cached_property
    def choosing(self) -> Choosing:
        policy = self._policy
        offer = ModelOffer(policy.model, policy.fallbacks, policy.tiers, policy.offered)
        return Choosing(self.models, self._world.skills, offer)

    @cached_property
    def preamble(self) -> PreambleMaker:
        world = self._world
        lending = Lending(world.own_servers, world.skills, self._store.consents)
        return PreambleMaker(
            world.catalog,
            world.skills,
            world.servers,
            lending.wanted,
            skill_list=self._policy.skill_list,
            tool_bytes=self._policy.tool_bytes,
            descriptions=world.descriptions,
        )

    @cached_property
    def _settlement(self) -> Settlement:
        store = self._store
        last_words = LastWords(
            store.approvals, self._plan_waits, store.outbox, self._policy.long_answer
        )
        return Settlement(self._conversations, self.companions, last_words)

    async def _plan_waits(self, chat: int) -> bool:
        plan = await self._store.plans.live(chat)
        return plan is not None and plan.ready

    @property
    def _conversations(self) -> Conversations:
        store = self._store
        return Conversations(
            store.chats,
            store.approvals,
            self._people_asked.card_ending,
            self.chores.compaction,
            self.models,
        )
