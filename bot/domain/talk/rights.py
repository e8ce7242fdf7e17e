"""The rights of a person beyond talking, and the pace of their messages."""

from collections.abc import Iterator
from datetime import timedelta

from bot.domain.talk.reach import Level
from bot.domain.value import frozen

RUN_COMMAND = "run_command"
"""The tool that only people with the right to commands may use."""


@frozen
class Rights:
    """The limits that owners set for a member."""

    commands: bool = True
    """True when the person may have commands run at all, whoever approves them."""
    approves: Level | None = None
    """The calls of their own that they may approve.

    None stands for a row of an older program that knew no levels; it counts as the lowest.
    """
    tools: tuple[str, ...] | None = None
    """The tools that the person may use; None for all."""

    @property
    def level(self) -> Level:
        """Returns the level that counts."""
        return self.approves or Level.TALK

    def refusal(self, tool: str) -> str | None:
        """Returns the reason why this tool may not be used, for the model; None when it may."""
        if tool == RUN_COMMAND and not self.commands:
            return "this person may not run commands"
        if self.tools is not None and tool not in self.tools:
            return f"this person may not use {tool}"
        return None


EVERYTHING = Rights(approves=Level.COMMANDS)
NEWCOMER = Rights(approves=Level.TALK)
"""The rights of somebody who was just let in."""

NOTHING = Rights(commands=False, approves=Level.TALK, tools=())


@frozen
class Bound:
    """A number of messages in a stretch of time; `unit` names the stretch."""

    count: int
    unit: str
    span: timedelta

    def __str__(self) -> str:
        """Returns it in words: “2 messages an hour”."""
        messages = "1 message" if self.count == 1 else f"{self.count} messages"
        return f"{messages} {'an' if self.unit == 'hour' else 'a'} {self.unit}"


_UNITS = {
    "min": ("minute", timedelta(minutes=1)),
    "h": ("hour", timedelta(hours=1)),
    "d": ("day", timedelta(days=1)),
}
_LONGEST_COUNT = 6
"""Digits of a count."""


@frozen
class Pace:
    """Messages a minute, an hour and a day; None has no bound."""

    minute: int | None = None
    hour: int | None = None
    day: int | None = None

    @property
    def bounds(self) -> Iterator[Bound]:
        for unit, span in _UNITS.values():
            count: int | None = getattr(self, unit)
            if count is not None:
                yield Bound(count, unit, span)

    def __str__(self) -> str:
        """Returns the written form: `20/min,200/h` or `off`."""
        counts = {short: getattr(self, unit) for short, (unit, _) in _UNITS.items()}
        told = [f"{count}/{short}" for short, count in counts.items() if count is not None]
        return ",".join(told) or "off"


UNBOUND = Pace()


def read_pace(text: str) -> Pace:
    """Reads `20/min,200/h,1000/d`, or `off`; raises ValueError with half a sentence."""
    if text.strip().lower() == "off":
        return UNBOUND
    counts: dict[str, int] = {}
    for part in (part.strip() for part in text.split(",")):
        number, _, short = part.partition("/")
        known = _UNITS.get(short)
        digits = number.isascii() and number.isdecimal() and len(number) <= _LONGEST_COUNT
        if known is None or known[0] in counts or not digits or int(number) == 0:
            raise ValueError("it should be messages a minute, hour or day, as in 20/min,200/h")
        counts[known[0]] = int(number)
    return Pace(**counts)
