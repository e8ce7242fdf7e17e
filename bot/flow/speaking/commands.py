"""The command that has answers to voice messages spoken in a chat."""

from collections.abc import Sequence

from bot.flow.commanding.choices import no_choice
from bot.flow.commanding.switches import VOICE
from bot.flow.commanding.table import Answer, Command, Invocation


class VoiceCommands:
    """Knows whether services hear and speak; without both there is nothing to turn on."""

    def __init__(self, *, hears: bool, speaks: bool) -> None:
        self._hears = hears
        self._speaks = speaks

    @property
    def table(self) -> Sequence[Command]:
        return (VOICE.command(self.voice),)

    async def voice(self, asked: Invocation) -> Answer:
        to, missing = VOICE.wanted(asked), self._missing(asked)
        if to is None:
            text_only = f"{no_choice(asked.words)}I answer in text only. {missing}"
            return Answer(text_only) if missing else VOICE.told(asked)
        if to.value and missing:
            return Answer(f"I changed nothing. {missing}")
        return VOICE.turned(asked, to)

    def _missing(self, asked: Invocation) -> str:
        """Returns a sentence about the service that is not set up; nothing when both are."""
        owner = asked.person.is_owner
        cure = "run `steward setup voice` and restart me." if owner else "an owner can change that."
        if not self._speaks:
            return f"Spoken answers are not set up: {cure}"
        if not self._hears:
            return f"I cannot hear voice messages: {cure}"
        return ""
