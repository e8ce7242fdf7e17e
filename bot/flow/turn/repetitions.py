"""Asks a person before the same call with the same result runs once too often."""

from dataclasses import replace

from bot.domain.loop.contribution import Agreed, Deferred, Stance
from bot.domain.talk.limits import Limits
from bot.domain.talk.reach import Reach
from bot.domain.tools.tool import Preview, ToolCall
from bot.domain.turn.progress import Progress
from bot.domain.turn.step import AskFirst, Elsewhere, Gate, Refuse


class Repetitions:
    def __init__(self, limits: Limits) -> None:
        self._limits = limits

    def gate(self, call: ToolCall, gate: Gate, stance: Stance | None, progress: Progress) -> Gate:
        """Returns the gate after the check for repetitions; skips agreed and deferred calls."""
        later = isinstance(stance, Deferred) and isinstance(gate, AskFirst)
        if later or isinstance(stance, Agreed):
            return gate
        return self._against_repeats(call, gate, progress)

    def _against_repeats(self, call: ToolCall, gate: Gate, progress: Progress) -> Gate:
        """Asks a person whether to go on before the same call runs once too often."""
        limits = self._limits
        allowed = limits.repeat_calls - 1 + progress.repeats_granted(call, limits.repeat_grant)
        times = progress.repeats(call)
        if times < allowed or isinstance(gate, Refuse | Elsewhere):
            return gate
        why = f"I have made this call {_times(times)} with the same result. Try again?"
        if isinstance(gate, AskFirst):
            return replace(gate, preview=gate.preview.explained(why))
        # A call without a preview only reads, or sends something to this chat.
        bare = Preview(call.subject, call.subject, gate.effect, reach=Reach.TALK)
        again = replace((gate.preview or bare).unruled(), effect=gate.effect, why=why)
        return AskFirst(again, repeat=True)


def _times(count: int) -> str:
    return {1: "once", 2: "twice", 3: "three times"}.get(count, f"{count} times")
