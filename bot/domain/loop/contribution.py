"""The parts that a companion adds to a turn, as frozen values."""

from collections.abc import Mapping
from typing import TypeAlias

from bot.domain.change import Show, Write
from bot.domain.consent.consent import Consent, Difference
from bot.domain.talk.message import ButtonRows
from bot.domain.talk.reach import Reach
from bot.domain.tools.tool import Warrant
from bot.domain.turn.step import Elsewhere, Refuse
from bot.domain.turn.transcript import Body
from bot.domain.turn.turn import Turn
from bot.domain.value import frozen


@frozen
class Share:
    """A part of one transaction."""

    turn: Turn
    """The row that is written, with the companion's changes."""
    bodies: tuple[Body, ...] = ()
    """Entries: at an opening before the person's words, else behind the results."""
    writes: tuple[Write, ...] = ()
    purpose: str = ""
    """The purpose of the turn when no message of a person states it."""

    def joined(self, other: "Share") -> "Share":
        """Returns this share joined with the next companion's, which began with this one's row."""
        bodies, writes = (*self.bodies, *other.bodies), (*self.writes, *other.writes)
        return Share(other.turn, bodies, writes, self.purpose or other.purpose)


@frozen
class Deferred:
    """The call gets no card of its own; a companion keeps it until later."""

    reads_run: bool
    """True when a call that only reads runs now all the same."""


@frozen
class Agreed:
    """A person has agreed to exactly this call: it runs without a card if nothing has changed."""

    consent: Consent
    """The consent that was kept."""
    reasons: Mapping[Difference, str]
    """The reasons on the new card, by what is different now."""
    reach: Reach = Reach.TALK
    """The most that it covers, whoever asks; calls within the asker's own level need none."""
    warrant: Warrant = Warrant.AGREED
    """The reason that the result keeps."""


Stance: TypeAlias = Refuse | Elsewhere | Deferred | Agreed
"""A companion's view of an open call, taken before rules and cards are looked at."""


@frozen
class Briefing:
    """The entries that come before a request to the model."""

    bodies: tuple[Body, ...] = ()
    hidden: bool = False
    """True when the person must not see the text that the model writes now."""


@frozen
class Ended:
    """A part of the settlement, and of the last word to the person."""

    writes: tuple[Write, ...] = ()
    also: str = ""
    """Text behind the last word."""
    instead: str | None = None
    """Text in place of the last word; None leaves the last word as it is."""
    points: bool = False
    """True when that text only points to a card which has just changed."""
    pointer: str = ""
    """A line about a card that tells this outcome; it is left out where the card is in view."""
    card: str = ""
    """The outbound key of that card."""
    below: str = ""
    """A small line at the end of the message with the last word."""
    buttons: ButtonRows = ()
    """The buttons below the last word."""
    behind: tuple[Show, ...] = ()
    """Messages behind the last word; they are left out where nothing is said."""
    listed: bool = False
    """True when a card lists what was done, so that the last word need not."""
    silent: bool = False
    """True when nothing is said here, whatever the model wrote."""


@frozen
class Aside:
    """A part of the settlement of a turn that a new message ends."""

    writes: tuple[Write, ...] = ()
    withdraws: str = ""
    """The reason on the open cards, which then end with the turn; empty when the cards stay."""
