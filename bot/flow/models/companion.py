"""Models as a companion of turns: the last word says when another model gave it."""

from bot.domain.loop.contribution import Ended
from bot.domain.text.markdown import inline_code
from bot.domain.turn.outcome import StopReason
from bot.domain.turn.step import Finish
from bot.flow.log.companion import Companion, Results, with_another_model
from bot.flow.log.work import Work
from bot.flow.models.choosing import Choosing

_OWN_WORDS = (StopReason.FINAL_ANSWER, StopReason.MAX_ROUNDS, StopReason.PIPELINE_DEPTH)


class ModelCompanion:
    def __init__(self, choosing: Choosing) -> None:
        self._choosing = choosing

    @property
    def answers(self) -> Companion:
        return Companion(with_another_model, ended=self.ended)

    async def ended(self, work: Work, finish: Finish, closed: Results) -> Ended:
        wanted = self._choosing.took_over(work)
        reply = work.progress.reply
        if not wanted or reply is None or finish.stop_reason not in _OWN_WORDS:
            return Ended()
        told = reply.provenance
        answered = inline_code(f"{told.provider}/{told.requested_model}")
        return Ended(also=f"(Answered by {answered}: {inline_code(wanted)} does not respond.)")
