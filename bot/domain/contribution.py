"""What a companion of a turn adds to it, as frozen values."""

from dataclasses import dataclass
from typing import TypeAlias

from bot.domain.change import Write
from bot.domain.step import Refuse
from bot.domain.transcript import Body
from bot.domain.turn import Turn


@dataclass(frozen=True, slots=True)
class Share:
    """A part of one transaction."""

    turn: Turn
    """The row that is written, with the companion's changes."""
    bodies: tuple[Body, ...] = ()
    """Entries: at an opening before the person's words, else behind the results."""
    writes: tuple[Write, ...] = ()
    purpose: str = ""
    """Says what the turn is for where no message of a person says it."""

    def joined(self, other: "Share") -> "Share":
        """This share and the next companion's, which began with this one's row."""
        bodies, writes = (*self.bodies, *other.bodies), (*self.writes, *other.writes)
        return Share(other.turn, bodies, writes, self.purpose or other.purpose)


@dataclass(frozen=True, slots=True)
class Deferred:
    """A call is not asked about on a card of its own; a companion keeps it until later."""

    reads_run: bool
    """Whether a call that only reads runs now all the same."""


@dataclass(frozen=True, slots=True)
class Agreed:
    """A person has agreed to exactly this call: it runs unasked, unless it turns out otherwise."""

    where: str
    """The place that was shown to the person; empty when no place was."""
    if_dangerous: str
    """Why a card asks again when the call is dangerous."""
    if_elsewhere: str
    """Why a card asks again when the call would now happen in another place."""


Stance: TypeAlias = Refuse | Deferred | Agreed
"""A companion's word about an open call, before rules and cards are looked at."""


@dataclass(frozen=True, slots=True)
class Briefing:
    """What comes before a request to the model."""

    bodies: tuple[Body, ...] = ()
    hidden: bool = False
    """Whether the text that the model writes now is not for the person."""


@dataclass(frozen=True, slots=True)
class Ended:
    """A part of the settlement, and of the last word to the person."""

    writes: tuple[Write, ...] = ()
    also: str = ""
    """Stands behind the last word."""
    instead: str | None = None
    """Stands in the place of the last word; None leaves it as it is."""


@dataclass(frozen=True, slots=True)
class Aside:
    """A part of the settlement of a turn that a new message ends."""

    writes: tuple[Write, ...] = ()
    withdraws: bool = False
    """Whether the open cards end with the turn, since its work will be taken up in another way."""
