"""Carries out the consequences of a command, once its answer is committed."""

from collections.abc import Sequence
from typing import assert_never

from bot.domain.value import frozen
from bot.flow.commanding.effects import Consequence, Expel, Interrupt, Noted, Recount, Unqueue, Wake
from bot.flow.money.till import Till
from bot.flow.signs.reactions import Reactions
from bot.ports.lanes import Lanes
from bot.ports.servers import Servers


@frozen
class Consequences:
    _lanes: Lanes
    _reactions: Reactions
    _servers: Servers | None
    _till: Till

    async def follow(self, consequences: Sequence[Consequence]) -> None:
        """Carries them out in their order."""
        for consequence in consequences:
            await self._follow(consequence)

    async def _follow(self, consequence: Consequence) -> None:
        match consequence:
            case Wake(chat):
                self._lanes.wake(chat)
            case Interrupt(chat):
                self._lanes.interrupt(chat)
            case Noted(address, message_id):
                self._reactions.noted(address, message_id)
            case Unqueue(messages):
                for gone in messages:
                    self._reactions.dropped(gone.address, gone.message_id, gone.since)
            case Expel(identities):
                if self._servers is not None:
                    await self._servers.expel(identities)
            case Recount():
                self._till.recount()
            case _:
                assert_never(consequence)
