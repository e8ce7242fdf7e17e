"""One turn around its loop: the opening, the scene, the rest and the settlement."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from bot.flow.composition.rooms import Rooms
from bot.flow.composition.turn_loop import TurnLoop
from bot.flow.composition.way_out import WayOut
from bot.flow.log.companion import Companion
from bot.flow.log.companions import Companions
from bot.flow.models.compaction import Compaction
from bot.flow.models.leaning import Leanings
from bot.flow.room import Ground
from bot.flow.turn.chores import Summarising
from bot.flow.turn.conversations import Conversations
from bot.flow.turn.last_word import LastWords
from bot.flow.turn.openings import Openings
from bot.flow.turn.probation import Probation
from bot.flow.turn.resting import Resting
from bot.flow.turn.scene import Scenes
from bot.flow.turn.settlement import Settlement
from bot.flow.turn.turns import Turns


@dataclass(eq=False)
class OneTurn:
    """Builds the parts that run a turn; `others` are companions after those of the rooms."""

    _ground: Ground
    _rooms: Rooms
    _others: Sequence[Companion]
    _way_out: WayOut

    @cached_property
    def turns(self) -> Turns:
        clock, lives = self._ground.world.clock, self._way_out.lives
        openings = Openings(
            lives,
            self._ground.store.approvals,
            clock,
            self.companions,
            self._rooms.models.choosing,
            self._ground.policy.limits,
            self._ground.store.people,
            self._ground.world.walls,
        )
        loop = TurnLoop(
            self._ground, self._rooms, self._way_out, self.companions, self._compaction
        ).loop
        probation = Probation(clock, self._ground.policy.limits.counted_after_seconds)
        chores = {
            "compaction": Summarising(self._compaction, self._scenes),
            "undo": self._rooms.undoing.chore,
        }
        return Turns(
            openings,
            loop,
            self._settlement,
            Resting(self.companions, probation),
            chores,
            self._scenes,
            lives,
        )

    @cached_property
    def _scenes(self) -> Scenes:
        models, ground = self._rooms.models, self._ground
        return Scenes(
            models.preamble,
            models.calls,
            ground.world.workspaces,
            self.companions,
            ground.zones,
            Leanings(self._ground.store.chats, ground.journal),
        )

    @cached_property
    def companions(self) -> Companions:
        """All companions of turns."""
        return Companions((*self._rooms.companions, *self._others))

    @cached_property
    def _compaction(self) -> Compaction:
        return Compaction(self._rooms.models.calls, self._ground.policy.limits)

    @cached_property
    def _settlement(self) -> Settlement:
        store, long = self._ground.store, self._ground.policy.long_answer
        last_words = LastWords(store.approvals, self._plan_waits, store.outbox, long)
        conversations = Conversations(
            store.chats,
            store.approvals,
            self._rooms.approvals.ending,
            self._compaction,
            self._rooms.models.calls,
        )
        return Settlement(conversations, self.companions, last_words)

    async def _plan_waits(self, chat: int) -> bool:
        plan = await self._ground.store.plans.live(chat)
        return plan is not None and plan.ready
