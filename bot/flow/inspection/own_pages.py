"""Puts the pages together that show people their memory, talks and costs, and the tools."""

from dataclasses import dataclass

from bot.flow.inspection.memory_pages import MemoryInspection
from bot.flow.inspection.money_pages import MoneyInspection
from bot.flow.inspection.places import Places
from bot.flow.inspection.search_pages import SearchInspection
from bot.flow.inspection.server_pages import ServerInspection
from bot.flow.inspection.skill_pages import SkillInspection
from bot.flow.memory.room import MemoryRoom
from bot.flow.models.preamble import PreambleMaker
from bot.flow.money.subjects import Subjects
from bot.flow.money.till import Till
from bot.flow.room import Ground


@dataclass(eq=False)
class OwnPages:
    """Builds the readers of these pages from the ground and the rooms below."""

    _ground: Ground
    _till: Till
    _memory: MemoryRoom
    preamble: PreambleMaker

    def _places(self) -> Places:
        chats = self._ground.store.chats
        return Places(chats, chats, self._ground.world.conceal)

    @property
    def money(self) -> MoneyInspection:
        store, world, zones = self._ground.store, self._ground.world, self._ground.zones
        subjects = Subjects(store.ledger, store.people, store.chats, zones)
        now, conceal = world.clock.now, world.conceal
        return MoneyInspection(store.ledger, subjects, self._till, zones, now, conceal)

    @property
    def memory(self) -> MemoryInspection:
        store, world, zones = self._ground.store, self._ground.world, self._ground.zones
        recall, changing = self._memory.recall, self._memory.changing
        return MemoryInspection(store, recall, changing, self._places, zones, world.conceal)

    @property
    def skills(self) -> SkillInspection:
        store, world, zones = self._ground.store, self._ground.world, self._ground.zones
        return SkillInspection(world.skills, store.records, self.preamble, zones, world.conceal)

    @property
    def servers(self) -> ServerInspection:
        world = self._ground.world
        return ServerInspection(self.preamble, world.skills, world.conceal)

    @property
    def search(self) -> SearchInspection:
        world, zones = self._ground.world, self._ground.zones
        return SearchInspection(self._memory.recall, self._places, zones, world.conceal)
