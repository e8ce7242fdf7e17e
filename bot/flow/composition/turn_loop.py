"""The loop of a turn with its gate: which calls run, and who is asked."""

from dataclasses import dataclass
from functools import cached_property

from bot.flow.approvals.asked_beside import AskedBeside
from bot.flow.approvals.asking import Asking
from bot.flow.composition.rooms import Rooms
from bot.flow.composition.way_out import WayOut
from bot.flow.log.companions import Companions
from bot.flow.models.compaction import Compaction
from bot.flow.room import Ground
from bot.flow.turn.gatekeeper import Gatekeeper
from bot.flow.turn.grounds import Grounds
from bot.flow.turn.repetitions import Repetitions
from bot.flow.turn.replies import Replies
from bot.flow.turn.steering import Steering
from bot.flow.turn.tool_loop import ToolLoop
from bot.flow.turn.tool_runner import ToolRunner
from bot.flow.turn.trusted_origins import TrustedOrigins


@dataclass(eq=False)
class TurnLoop:
    """Builds the loop, and what it asks before a call runs."""

    _ground: Ground
    _rooms: Rooms
    _way_out: WayOut
    _companions: Companions
    _compaction: Compaction

    @cached_property
    def loop(self) -> ToolLoop:
        store, clock = self._ground.store, self._ground.world.clock
        limits = self._ground.policy.limits
        return ToolLoop(
            self._replies,
            ToolRunner(clock, limits, TrustedOrigins(store.rules, store.people)),
            self._gatekeeper,
            Asking(clock, limits, AskedBeside(store.approvals, store.errands)),
            self._compaction,
            self._companions,
            limits,
        )

    @property
    def _replies(self) -> Replies:
        inbox, policy = self._ground.store.inbox, self._ground.policy
        models, reactions = self._rooms.models, self._way_out.reactions
        steering = Steering(inbox, self._rooms.reading.gathering, reactions, self._companions)
        return Replies(
            models.calls,
            steering,
            self._companions,
            models.choosing,
            policy.fallback_models,
            policy.limits.images_in_view,
            models.searches,
            self._ground.world.life,
        )

    @property
    def _gatekeeper(self) -> Gatekeeper:
        store, policy = self._ground.store, self._ground.policy
        grounds = Grounds(store.approvals, store.rules, policy.documents)
        owners, repeated = self._rooms.approvals.owners, Repetitions(policy.limits)
        return Gatekeeper(store.people, owners, self._companions, grounds, repeated)
