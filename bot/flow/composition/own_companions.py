"""The companions that every turn has, in the order in which they are asked."""

from bot.domain.clock.zones import Zones
from bot.flow.approvals.ruled import RuledCompanion
from bot.flow.background.companion import BackgroundCompanion
from bot.flow.commands.noted import NotedCompanion
from bot.flow.errands.companion import ErrandCompanion
from bot.flow.errands.sending import Sending
from bot.flow.errands.wishes import Wishes
from bot.flow.memory.companion import MemoryCompanion
from bot.flow.memory.recall import Recall
from bot.flow.models.choosing import Choosing
from bot.flow.models.companion import ModelCompanion
from bot.flow.models.footer import Footer
from bot.flow.money.companion import MoneyCompanion
from bot.flow.money.till import Till
from bot.flow.people.zone_question import ZoneQuestion
from bot.flow.plans.companion import PlanCompanion
from bot.flow.plans.turn_end import PlanEnding
from bot.flow.skills.companion import SkillCompanion
from bot.flow.speaking.companion import SpeakingCompanion
from bot.flow.turn.companion import Companions
from bot.flow.verbose.companion import VerboseCompanion
from bot.flow.ways.companion import WaysCompanion
from bot.flow.ways.speakers import Speakers
from bot.flow.world import Policy, StorePorts, World


class OwnCompanions:
    """Builds the companions; a new ability of turns is a line here."""

    def __init__(self, store: StorePorts, world: World, policy: Policy) -> None:
        self._store = store
        self._world = world
        self._policy = policy

    def made(
        self, ending: PlanEnding, zones: Zones, choosing: Choosing, recall: Recall, till: Till
    ) -> Companions:
        """Returns the companions: first who speaks and who answers, then skills.

        Plans come after them, so a plan continues under its own skill, not the chat's choice.
        """
        store, policy = self._store, self._policy
        models = (policy.model, *policy.fallbacks)
        found: Companions = (
            BackgroundCompanion(self._world.persona, store.people),
            SkillCompanion(self._world.skills, policy.rule_documents),
            self._plans(ending),
            WaysCompanion(store.outbox, Speakers(store.people, zones), models),
            ModelCompanion(choosing),
            self._memory(recall),
            NotedCompanion(),
            RuledCompanion(),
            Footer(choosing),
            MoneyCompanion(till, store.people, store.chats, store.outbox),
            self._errands(zones, choosing),
            VerboseCompanion(store.chats, store.outbox, self._world.conceal),
        )
        if policy.timezone is None:
            found = (*found, ZoneQuestion(store.people, store.outbox, self._world.channels))
        return found if self._world.speaking is None else (*found, SpeakingCompanion())

    def _plans(self, ending: PlanEnding) -> PlanCompanion:
        policy, skills = self._policy, self._world.skills
        most = policy.limits.plan_steps
        return PlanCompanion(ending, skills, most, explore=policy.plan_explore)

    def _memory(self, recall: Recall) -> MemoryCompanion:
        store, most = self._store, self._policy.recall_tokens
        return MemoryCompanion(recall, store.notes, store.rules, store.people, most)

    def _errands(self, zones: Zones, choosing: Choosing) -> ErrandCompanion:
        store, policy = self._store, self._policy
        wishes = Wishes(self._world.skills, choosing)
        return ErrandCompanion(
            Sending(store.chats, wishes),
            wishes,
            choosing,
            store.turns,
            zones,
            policy.limits,
            explore=policy.plan_explore,
        )
