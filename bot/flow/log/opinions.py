"""Turns what a person thinks of an answer into a row."""

from bot.domain.change import SaveFeedback
from bot.domain.talk.feedback import Feedback, Opinion
from bot.domain.talk.person import Person
from bot.domain.turn.transcript import ReplyBody
from bot.domain.turn.turn import TurnState
from bot.domain.value import frozen
from bot.ports.clock import Clock
from bot.ports.journal import Journal
from bot.ports.turns import TurnRows


@frozen
class Opinions:
    _turns: TurnRows
    _journal: Journal
    _clock: Clock

    async def given(self, turn: str, person: Person, verdict: Opinion) -> SaveFeedback | None:
        """Returns the write for an opinion about the answer of a turn; None while it works."""
        known = await self._turns.get(turn)
        if known is None or known.state is not TurnState.SETTLED:
            return None
        log = await self._journal.entries(known.conversation)
        replies = (e.body for e in log if e.turn == turn and isinstance(e.body, ReplyBody))
        origins = (reply.provenance for reply in replies)
        models = tuple(dict.fromkeys(f"{one.provider}/{one.requested_model}" for one in origins))
        at = self._clock.now()
        return SaveFeedback(Feedback(turn, person.id, known.chat, verdict, at, models))
