"""The sight of a turn: its view in numbers and names, without what they say."""

from collections.abc import Sequence

from bot.domain.turn.transcript import (
    AskerBody,
    Entry,
    RecallBody,
    SummaryBody,
    uncovered,
)
from bot.domain.turn.turn import Turn
from bot.domain.value import frozen
from bot.flow.log.request_view import foreign_to


@frozen
class Sight:
    """The things that the model had in view when the turn ended, beside the message itself."""

    earlier: int = 0
    """The number of earlier messages of people."""
    summed: bool = False
    """True when a summary stands for the oldest part."""
    skill: str = ""
    """The name of the skill in use."""
    passages: int = 0
    """The number of passages that the memory gave for this message."""
    foreign: tuple[str, ...] = ()
    """The sources of content that the asker did not write, each once, in their order."""


def sight_of(turn: Turn, until: Sequence[Entry]) -> Sight:
    """Returns what a turn saw; `until` is its conversation up to its last entry."""
    seen = list(uncovered(reversed(until)))[::-1]
    sources = (foreign_to(turn.asker, (entry,)) for entry in seen)
    return Sight(
        earlier=sum(isinstance(e.body, AskerBody) and e.turn != turn.id for e in seen),
        summed=any(isinstance(e.body, SummaryBody) for e in seen),
        # Words about a skill stay in view when its use has ended.
        skill=turn.skill or "",
        passages=sum(_recalled(e) for e in seen if e.turn == turn.id),
        foreign=tuple(dict.fromkeys(source for source in sources if source)),
    )


def _recalled(entry: Entry) -> int:
    return len(entry.body.passages) if isinstance(entry.body, RecallBody) else 0
