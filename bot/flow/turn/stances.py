"""The gates of calls that a companion keeps for later, or that were agreed to before."""

from bot.domain.consent.consent import Difference, difference
from bot.domain.loop.contribution import Agreed, Deferred
from bot.domain.talk.reach import reaches
from bot.domain.tools.foresight import unforeseen
from bot.domain.tools.tool import Effect, Preview, ToolCall
from bot.domain.turn.step import AskFirst, Gate, Refuse, Run


def deferred(
    call: ToolCall, seen: Preview | Run | Refuse, stance: Deferred, *, planned: bool
) -> Gate:
    """Returns the gate of a call that a companion keeps.

    One that changes something asks later, and so does one that is always a step of its own.
    """
    if isinstance(seen, Refuse) or (isinstance(seen, Run) and stance.reads_run):
        return seen
    if isinstance(seen, Run):
        return AskFirst(unforeseen(call, Effect.READ))
    if seen.at_once:
        return Run(Effect.READ, seen)
    reads = seen.effect is Effect.READ and stance.reads_run and not planned
    return Run(Effect.READ, seen) if reads else AskFirst(seen)


def agreed(call: ToolCall, seen: Preview, stance: Agreed, *, within: bool, walled: bool) -> Gate:
    """Runs an agreed call without a card, unless it is dangerous or something has changed.

    It also asks when it reaches further than the consent, and than its asker may approve
    (`within`), or where the walls are lower than when the turn began (not `walled`).
    """
    different = difference(stance.consent, call, seen)
    if different is None and not walled:
        different = Difference.PLACE
    if different is not None:
        return AskFirst(seen.explained(stance.reasons.get(different, "")))
    if within or reaches(stance.reach, seen.needs):
        return Run(seen.effect, seen, warrant=stance.warrant)
    return AskFirst(seen.unruled())
