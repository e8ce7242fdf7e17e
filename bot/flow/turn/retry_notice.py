"""The notice that a model did not answer and is asked again: its words, and when it is shown."""

from dataclasses import dataclass

from bot.domain.change import Show
from bot.domain.clock.span import lasting
from bot.domain.money.trouble import Trouble
from bot.domain.talk.errors import ModelError
from bot.domain.talk.message import Outbound, OutboundKind, Plain
from bot.flow.log.work import Work
from bot.flow.ways.buttons import stop, wait_key

LONG_WAIT = 10.0
"""Seconds of waiting for a model, all pauses of a call together, from which the chat is told."""

_REASONS = {
    Trouble.RATE: "The model's provider accepts no more requests for now.",
    Trouble.OVERLOADED: "The model is overloaded.",
    Trouble.DOWN: "The model's provider has a fault.",
}
_UNREACHED = "I cannot reach the model."


@dataclass(slots=True)
class RetryNotice:
    """One line in the chat about long pauses of one call of a model; short ones are not told."""

    _work: Work
    _waited: float = 0.0
    shown: bool = False
    """True once the line stands in the chat."""

    async def tell(self, fault: ModelError, seconds: float) -> None:
        """Takes the news that the call is tried again after so many seconds."""
        self._waited += seconds
        if self._waited < LONG_WAIT:
            return
        why = _REASONS.get(fault.trouble, _UNREACHED)
        self.shown = True
        await self._show(f"⏳ {why} I try again in {lasting(seconds)}.", buttons=True)

    async def over(self) -> None:
        """Makes the line short, and takes its button away, once the waiting is over."""
        if self.shown:
            await self._show(f"⏳ I waited {lasting(self._waited)} for the model.", buttons=False)

    async def _show(self, text: str, *, buttons: bool) -> None:
        turn = self._work.turn
        if self._work.log.chat.screen is not None:
            return  # its button would stop the turn of another chat
        rows = stop(turn.id) if buttons else ()
        line = Outbound(OutboundKind.MENU, (Plain(text, style="aside"),), rows, silent=True)
        await self._work.log.note(Show(wait_key(turn.id), turn.chat, line, about=turn.id))
