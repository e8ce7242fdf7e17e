"""The words and deeds of a running turn, in their order, as one growing text."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TypeAlias

from bot.domain.consent.rules import allowed_line
from bot.domain.text.growing_text import GrowingText
from bot.domain.text.tail import tail_of
from bot.domain.tools.deeds import stands_in_chat, together
from bot.domain.tools.tool import ToolCall, ToolResult

RUNNING, DONE, FAILED = "⏳", "✓", "✗"
_LONG = 4.5
"""Seconds after which a running deed tells its time."""

_NEWEST = 1_500
"""Characters of the newest words and deeds; a chat shows the end of a growing message."""


@dataclass(slots=True)
class _Deed:
    """A call of a tool, with the sign of its state and the moment at which it began."""

    call: ToolCall
    subject: str
    """The line that names it: the words of its card, where it had one."""
    since: float
    sign: str = RUNNING
    ruled: str = ""
    """The words about a call that a standing rule let run, once it has succeeded."""


_Part: TypeAlias = str | list[_Deed]


class Telling:
    """Grows with the turn; begins with the words that stand in no message yet.

    Where calls are shown `apart`, whole and in messages of their own, a deed is told only as long
    as it runs.
    """

    def __init__(self, said: Sequence[str] = (), *, apart: bool = False) -> None:
        self._parts: list[_Part] = [*said]
        self._apart = apart
        self._words = GrowingText()
        self._note = ""

    @property
    def runs(self) -> bool:
        """Returns True while a tool runs."""
        return any(deed.sign == RUNNING for deed in self._last_deeds)

    @property
    def words(self) -> str:
        return str(self._words)

    def write(self, words: GrowingText) -> None:
        """Takes the words of the present reply so far."""
        self._words = words
        if words:
            self._note = ""

    def spoken(self) -> None:
        """Ends the present reply: the next words stand below its words."""
        if self._words:
            self._parts.append(self.words)
        self._words = GrowingText()

    def running(
        self, calls: Sequence[ToolCall], now: float, subjects: Mapping[str, str] | None = None
    ) -> None:
        """Takes calls that run now; `subjects` are the lines of those that were foreseen."""
        self.spoken()
        known = subjects or {}
        named = [(call, known.get(call.id, call.subject)) for call in calls]
        self._parts.append([_Deed(call, subject, now) for call, subject in named])

    def finished(self, pairs: Sequence[tuple[ToolCall, ToolResult]]) -> None:
        results = {call.id: result for call, result in pairs}
        for deed in self._last_deeds:
            if (result := results.get(deed.call.id)) is not None:
                deed.sign, deed.ruled = FAILED if result.is_error else DONE, result.ruled
        if self._apart:
            done = self._last_deeds
            done[:] = [deed for deed in done if deed.sign == RUNNING or deed.ruled]

    def note(self, line: str) -> None:
        """Takes a line about work that is no call of a tool; it stays below until words come."""
        self._note = line

    def whole(self) -> str:
        """Returns everything, a line for each deed; what has ended never changes again."""
        told = [part if isinstance(part, str) else "\n".join(_lines(part)) for part in self._parts]
        return _joined((*told, self.words, self._note))

    def newest(self, now: float) -> str:
        """Returns the newest part, with the deeds in a row on one line."""
        told: list[str] = []
        for done, parts in groupby(self._parts, key=lambda part: not isinstance(part, str)):
            if done:
                row = [deed for part in parts if not isinstance(part, str) for deed in part]
                if lines := _lines(row, now):
                    told.append(" · ".join(lines))
            else:
                told.extend(part for part in parts if isinstance(part, str))
        present = _joined((self.words, self._note))
        room = _NEWEST - len(present)
        kept: list[str] = []
        for part in reversed(told):
            room -= len(part)
            if room < 0:
                break
            kept.append(part)
        cut = "…" if len(kept) < len(told) and (kept or not present) else ""
        if cut and not kept:
            kept = [tail_of(told[-1], _NEWEST)]
        return _joined((cut, *reversed(kept), present))

    @property
    def _last_deeds(self) -> list[_Deed]:
        deeds = [part for part in self._parts if not isinstance(part, str)]
        return deeds[-1] if deeds else []


def _lines(deeds: Iterable[_Deed], now: float | None = None) -> list[str]:
    """Returns a line for each row of deeds of one kind; with `now`, its time if it takes long.

    What the chat shows anyway is told only when it failed. What a standing rule let run is told in
    the words that stand below the answer later.
    """
    lines: list[str] = []
    told_of = [deed for deed in deeds if deed.sign == FAILED or not stands_in_chat(deed.call.name)]
    for (sign, tool, ruled), alike in groupby(
        told_of, key=lambda deed: (deed.sign, deed.call.name, deed.ruled)
    ):
        row = list(alike)
        if ruled:
            lines.append(allowed_line(ruled, len(row)))
            continue
        told = f"{sign} {together(tool, [deed.subject for deed in row])}"
        seconds = 0.0 if now is None or sign != RUNNING else now - row[0].since
        lines.append(f"{told}, {seconds:.0f} s" if seconds >= _LONG else told)
    return lines


def _joined(parts: Iterable[str]) -> str:
    return "\n\n".join(part for part in parts if part)
