"""The command that has answers to voice messages spoken in a chat."""

from collections.abc import Sequence
from dataclasses import replace

from bot.domain.change import SetVoice
from bot.flow.commanding.choices import no_choice, on_off
from bot.flow.commanding.table import Answer, Command, Invocation, Topic

_SWITCH = {"on": True, "off": False}
_ON = "Answers to voice messages come as voice notes too, after their text"


class VoiceCommands:
    """Knows whether services hear and speak; without both there is nothing to turn on."""

    def __init__(self, *, hears: bool, speaks: bool) -> None:
        self._hears = hears
        self._speaks = speaks

    @property
    def table(self) -> Sequence[Command]:
        return (
            Command(
                "voice",
                "answers to voice messages as voice notes",
                self.voice,
                "on|off",
                Topic.SETTINGS,
                chosen=True,
                away=True,
            ),
        )

    async def voice(self, asked: Invocation) -> Answer:
        chosen = _SWITCH.get(asked.words[0].lower()) if asked.words else None
        if chosen is None:
            now = self._told(self._missing(asked), on=asked.chat.voice)
            return replace(now, text=f"{no_choice(asked.words)}{now.text}")
        missing = self._missing(asked)
        if chosen and missing:
            return Answer(f"I changed nothing. {missing}")
        told = f"From now on: {_ON[0].lower()}{_ON[1:]}." if chosen else "I answer in text only."
        saved = SetVoice(asked.chat.id, on=chosen)
        return Answer(told, (saved,), buttons=on_off("voice", now=chosen))

    def _told(self, missing: str, *, on: bool) -> Answer:
        if missing:
            return Answer(f"I answer in text only. {missing}")
        now, other = (_ON, "off") if on else ("I answer in text only", "on")
        return Answer(f"{now}. `/voice {other}` changes that.", buttons=on_off("voice", now=on))

    def _missing(self, asked: Invocation) -> str:
        """Returns a sentence about the service that is not set up; nothing when both are."""
        cure = "set `{}` and restart me." if asked.person.is_owner else "an owner can set `{}`."
        if not self._speaks:
            return f"Spoken answers are not set up: {cure.format('STEWARD_SPEAK_URL')}"
        if not self._hears:
            return f"I cannot hear voice messages: {cure.format('STEWARD_HEAR_URL')}"
        return ""
