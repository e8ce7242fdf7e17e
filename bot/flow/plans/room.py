"""The room of plans: the companion that collects and carries out steps, the desk, the commands."""

from functools import cached_property

from bot.flow.approvals.owners import Owners
from bot.flow.plans.commands import PlanCommands
from bot.flow.plans.companion import PlanCompanion
from bot.flow.plans.desk import PlanDesk
from bot.flow.plans.tools import SubmitPlanTool
from bot.flow.plans.turn_end import PlanEnding
from bot.flow.room import Ground, Room


class PlanRoom:
    """Builds the parts of plans."""

    def __init__(self, ground: Ground, owners: Owners) -> None:
        self._ground = ground
        self._owners = owners

    @cached_property
    def room(self) -> Room:
        policy, skills = self._ground.policy, self._ground.world.skills
        most = policy.limits.plan_steps
        companion = PlanCompanion(self._ending, skills, most, policy.plan_explore)
        return Room(
            commands=self.commands.table,
            desks=(self.desk,),
            companions=(companion.answers,),
            tools=(SubmitPlanTool(),),
        )

    @cached_property
    def commands(self) -> PlanCommands:
        store, world = self._ground.store, self._ground.world
        templates = world.templates
        return PlanCommands(
            store.plans, self.desk, self._ending, templates, store.inbox, world.clock
        )

    @cached_property
    def desk(self) -> PlanDesk:
        ground, store = self._ground, self._ground.store
        clock = ground.world.clock
        return PlanDesk(
            ground.journal, store.plans, store.chats, store.outbox, ground.lanes(), clock
        )

    @cached_property
    def _ending(self) -> PlanEnding:
        return PlanEnding(self._ground.store.people, self._owners)
