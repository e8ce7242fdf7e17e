"""One turn: the reading of its message, the model, the loop and the settlement."""

from collections.abc import Sequence
from functools import cached_property

from bot.flow.approvals.asking import Asking
from bot.flow.composition.people_asked import PeopleAsked
from bot.flow.composition.way_out import WayOut
from bot.flow.models.compaction import Compaction
from bot.flow.models.lending import Lending
from bot.flow.models.model_calls import ModelCalls
from bot.flow.models.surroundings import SurroundingsMaker
from bot.flow.plans.companion import PlanCompanion
from bot.flow.reading.enclosures import Enclosures
from bot.flow.reading.gathering import Gathering
from bot.flow.reading.message_reader import MessageReader
from bot.flow.reading.row_reader import RowReader
from bot.flow.skills.companion import SkillCompanion
from bot.flow.turn.companion import Companion, Companions
from bot.flow.turn.conversations import Conversations
from bot.flow.turn.gatekeeper import Gatekeeper
from bot.flow.turn.openings import Openings
from bot.flow.turn.replies import Replies
from bot.flow.turn.resting import Resting
from bot.flow.turn.scene import Scenes
from bot.flow.turn.settlement import Settlement
from bot.flow.turn.steering import Steering
from bot.flow.turn.tool_loop import ToolLoop
from bot.flow.turn.tool_runner import ToolRunner
from bot.flow.turn.turns import Turns
from bot.flow.world import Policy, StorePorts, World


class OneTurn:
    """Builds the parts that run a turn; `others` are companions after those built here."""

    def __init__(
        self,
        store: StorePorts,
        world: World,
        policy: Policy,
        others: Sequence[Companion],
        way_out: WayOut,
        people_asked: PeopleAsked,
    ) -> None:
        self._store = store
        self._world = world
        self._policy = policy
        self._others = others
        self._way_out = way_out
        self._people_asked = people_asked

    @cached_property
    def turns(self) -> Turns:
        world = self._world
        openings = Openings(
            self._way_out.lives,
            self._store.approvals,
            world.clock,
            self.companions,
            self._policy.model,
            self._policy.limits.counted_after_seconds,
        )
        return Turns(
            openings,
            self._loop,
            self._settlement,
            Resting(self.companions),
            self.compaction,
            Scenes(self.surroundings, self.models, world.workspaces, self.companions),
            self._way_out.lives,
        )

    @cached_property
    def companions(self) -> Companions:
        """Returns the companions, skills first.

        Plans come after them, so a plan continues under its own skill, not the chat's choice.
        """
        policy, skills = self._policy, self._world.skills
        most = policy.limits.plan_steps
        plans = PlanCompanion(
            self._people_asked.plan_ending, skills, most, explore=policy.plan_explore
        )
        return (SkillCompanion(skills), plans, *self._others)

    @cached_property
    def _loop(self) -> ToolLoop:
        limits = self._policy.limits
        steering = Steering(
            self._store.inbox, self.gathering, self._way_out.reactions, self.companions
        )
        fallbacks = self._policy.fallbacks
        return ToolLoop(
            Replies(self.models, steering, self.companions, fallbacks, limits.images_in_view),
            ToolRunner(self._world.clock, limits),
            self._gatekeeper,
            Asking(self._world.clock, limits),
            self.compaction,
            self.companions,
            limits,
        )

    @cached_property
    def models(self) -> ModelCalls:
        return ModelCalls(self._world.models, self._world.clock, self._policy.times)

    @cached_property
    def surroundings(self) -> SurroundingsMaker:
        world = self._world
        lending = Lending(world.own_servers, world.skills, self._store.consents)
        return SurroundingsMaker(
            world.catalog,
            world.skills,
            world.servers,
            lending.wanted,
            skill_list=self._policy.skill_list,
            tool_bytes=self._policy.tool_bytes,
        )

    @cached_property
    def compaction(self) -> Compaction:
        return Compaction(self.models, self._policy.limits)

    @cached_property
    def _settlement(self) -> Settlement:
        return Settlement(self._conversations, self.companions, self._policy.long_answer)

    @property
    def _conversations(self) -> Conversations:
        store = self._store
        return Conversations(
            store.chats,
            store.approvals,
            self._people_asked.card_ending,
            self.compaction,
            self.models,
        )

    @cached_property
    def _gatekeeper(self) -> Gatekeeper:
        store, policy = self._store, self._policy
        return Gatekeeper(
            store.approvals,
            store.rules,
            store.people,
            self._people_asked.owners,
            self.companions,
            policy.limits,
            policy.rule_documents,
        )

    @cached_property
    def gathering(self) -> Gathering:
        return Gathering(self.rows, self.message_reader, self._world.clock, self._policy.bundles)

    @cached_property
    def message_reader(self) -> MessageReader:
        world, policy = self._world, self._policy
        enclosures = Enclosures(
            world.files, world.reader, world.clock, policy.limits, policy.enclosures
        )
        return MessageReader(
            self.rows, self._store.people, enclosures, self._way_out.lives, world.clock
        )

    @cached_property
    def rows(self) -> RowReader:
        return RowReader(self._world.channels)
