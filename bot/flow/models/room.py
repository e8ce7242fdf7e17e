"""The room of models: their calls, the choice among them, and what stands before a request."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

from bot.flow.models.choosing import Choosing, ModelOffer
from bot.flow.models.commands import ModelCommands
from bot.flow.models.companion import ModelCompanion
from bot.flow.models.footer import Footer
from bot.flow.models.lending import Lending
from bot.flow.models.model_calls import ModelCalls
from bot.flow.models.own_searches import OwnSearches
from bot.flow.models.preamble import PreambleMaker
from bot.flow.money.till import Till
from bot.flow.room import Ground, Room
from bot.ports.tool import Tool


@dataclass(eq=False)
class ModelRoom:
    _ground: Ground
    _till: Till
    _house: Callable[[], Sequence[Tool]]

    @cached_property
    def room(self) -> Room:
        return Room(
            commands=ModelCommands(self.choosing).table,
            companions=(ModelCompanion(self.choosing).answers,),
        )

    @property
    def footer(self) -> Footer:
        """The companion of the line below answers, which is asked behind those that add to them."""
        return Footer(self.choosing)

    @cached_property
    def calls(self) -> ModelCalls:
        world = self._ground.world
        return ModelCalls(world.models, self._till, world.clock, self._ground.policy.model_times)

    @cached_property
    def searches(self) -> OwnSearches:
        return OwnSearches(self._ground.store.consents, self._ground.world.searches)

    @cached_property
    def choosing(self) -> Choosing:
        policy = self._ground.policy
        offer = ModelOffer(policy.model, policy.fallback_models, policy.tiers, policy.offered)
        return Choosing(self.calls, self._ground.world.skills, offer)

    @cached_property
    def preamble(self) -> PreambleMaker:
        world, policy = self._ground.world, self._ground.policy
        lending = Lending(world.own_servers, world.skills, self._ground.store.consents)
        return PreambleMaker(
            self._house,
            world.skills,
            world.servers,
            lending,
            skill_list=policy.skill_list_bytes,
            tool_bytes=policy.tool_bytes,
            descriptions=world.descriptions,
        )
