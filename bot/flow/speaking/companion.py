"""A companion of turns that makes the answer to a voice message owed as a voice note too."""

from bot.domain.change import OweVoice
from bot.domain.loop.contribution import Ended
from bot.domain.turn.outcome import StopReason
from bot.domain.turn.step import Finish
from bot.domain.turn.transcript import AskerBody
from bot.domain.turn.voice import VoiceNote
from bot.flow.log.companion import Companion, Results, with_voice
from bot.flow.log.work import Work

_ANSWERS = (StopReason.FINAL_ANSWER, StopReason.WAITING_FOR_USER, StopReason.PIPELINE_DEPTH)
"""The ends at which the model has the last word."""


class SpeakingCompanion:
    """Speaks where `/voice on` was said; the text is settled and sent without waiting for it."""

    @property
    def answers(self) -> Companion:
        return Companion(with_voice, ended=self.ended)

    async def ended(self, work: Work, finish: Finish, closed: Results) -> Ended:
        if not work.log.chat.settings.voice or finish.stop_reason not in _ANSWERS:
            return Ended()
        turn = work.turn
        asked = (e.body for e in work.log.entries(turn.id) if isinstance(e.body, AskerBody))
        if not any(body.spoken for body in asked):
            return Ended()
        return Ended((OweVoice(VoiceNote(turn.id, turn.chat, work.clock.now())),))
