"""The service behind the door of hooks: calls in, and the status of each."""

from collections.abc import Callable, Mapping

from bot.domain.assignments.hook import HookCall
from bot.domain.assignments.hook_proof import Purpose
from bot.domain.assignments.task import RunState
from bot.domain.turn.transcript import ReplyBody
from bot.domain.value import frozen
from bot.flow.hooks.proving import Proving
from bot.flow.hooks.reception import Reception
from bot.flow.hooks.states import status_of
from bot.ports.hook_service import Answered, CallStatus, Refused
from bot.ports.hooks import HookCalls
from bot.ports.journal import Journal
from bot.ports.turns import TurnRows


@frozen
class HookService:
    _reception: Reception
    _proving: Proving
    _calls: HookCalls
    _journal: Journal
    _turns: TurnRows
    _wake: Callable[[int], None]

    def awaits(self, name: str, headers: Mapping[str, str]) -> bool:
        """Tells from the head of a call if its body is worth reading."""
        return self._proving.may_be_proven(name, headers)

    async def take(self, name: str, headers: Mapping[str, str], body: bytes) -> Answered | Refused:
        """Takes a call, and wakes its chat once it is stored."""
        received = await self._reception.take(name, headers, body)
        if isinstance(received, Refused):
            return received
        if received.new:
            self._wake(received.call.chat)
        return Answered(status_of(received.call))

    async def status(self, name: str, headers: Mapping[str, str], id: str) -> CallStatus | None:
        """Returns the state of a call; None for an unknown one and for a wrong proof."""
        hook = self._proving.proven(name, headers, id.encode("utf-8", "replace"), Purpose.STATUS)
        call = await self._calls.get(hook.name, id) if hook is not None else None
        if hook is None or call is None:
            return None
        return await self._told(call) if hook.tells_answer else status_of(call)

    async def _told(self, call: HookCall) -> CallStatus:
        told = status_of(call)
        if call.state is not RunState.DONE:
            return told
        turn = await self._turns.get(call.turn)
        if turn is None:
            return told
        entries = await self._journal.entries(turn.conversation)
        replies = [e.body for e in entries if e.turn == turn.id and isinstance(e.body, ReplyBody)]
        answer = replies[-1].text if replies and not replies[-1].calls else None
        return CallStatus(told.id, told.hook, told.state, answer)
