"""Chores, put together: turns that summarise, and turns that take something back."""

from collections.abc import Mapping
from functools import cached_property

from bot.flow.composition.people_asked import PeopleAsked
from bot.flow.composition.undoing import Undoing
from bot.flow.composition.way_out import WayOut
from bot.flow.models.compaction import Compaction
from bot.flow.models.model_calls import ModelCalls
from bot.flow.turn.chores import Chore, Summarising
from bot.flow.turn.scene import Scenes
from bot.flow.world import Policy, StorePorts, World


class ChoreParts:
    """Builds the chores, and the parts that they share with others."""

    def __init__(
        self,
        store: StorePorts,
        world: World,
        policy: Policy,
        way_out: WayOut,
        people_asked: PeopleAsked,
        models: ModelCalls,
    ) -> None:
        self._store = store
        self._world = world
        self._policy = policy
        self._way_out = way_out
        self._people_asked = people_asked
        self._models = models

    @cached_property
    def compaction(self) -> Compaction:
        return Compaction(self._models, self._policy.limits)

    @cached_property
    def undoing(self) -> Undoing:
        journal, people_asked = self._way_out.journal, self._people_asked
        store, world, policy = self._store, self._world, self._policy
        return Undoing(store, world, policy, journal, lambda: people_asked.lanes)

    def by_origin(self, scenes: Scenes) -> Mapping[str, Chore]:
        """Returns the chores by the origin of their turns."""
        return {"compaction": Summarising(self.compaction, scenes), "undo": self.undoing.chore}
