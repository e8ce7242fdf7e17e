"""A companion of turns that tells what ran without a card, because of a standing rule."""

from collections import Counter

from bot.domain.change import Show
from bot.domain.consent.rules import allowed_line
from bot.domain.loop.contribution import Aside, Ended
from bot.domain.talk.message import Outbound, OutboundKind, Plain
from bot.domain.tools.file_change import UNDO_BUTTONS, UndoButton, UndoVerb, undo_label
from bot.domain.turn.step import Finish
from bot.flow.log.companion import Companion, Results, by_calls
from bot.flow.log.work import Work

_READS = (
    "There is no sandbox here. From now on I do not ask an owner before I run commands that only "
    "read files of my folder (`ls`, `grep`, `git status`). I ask before every other command."
)

_MOST = 3
"""Lines below an answer; what is more is counted."""


class RuledCompanion:
    """Tells it once, at the end of the turn, from the results in the log.

    A small line below the answer is enough, unless files were changed: then a message of its own
    has the button that takes these changes back.
    """

    @property
    def answers(self) -> Companion:
        return Companion(by_calls(), ended=self.ended, set_aside=self.set_aside)

    async def ended(self, work: Work, finish: Finish, closed: Results) -> Ended:
        if _changes(work):
            return Ended(behind=(_message(work),))
        return Ended(below=told(work))

    async def set_aside(self, work: Work) -> Aside:
        """Tells it in a message of its own: a turn that a new message ends has no last word."""
        return Aside((_message(work),)) if told(work) else Aside()


def told(work: Work) -> str:
    """Returns the lines about the calls of a turn that ran under a rule; empty without any."""
    ruled = (done.result.ruled for done in work.progress.done)
    counts = Counter(text for text in ruled if text)
    lines = [allowed_line(text, times) for text, times in counts.items()]
    if len(lines) > _MOST:
        lines[_MOST:] = [f"✓ {len(lines) - _MOST} more, as your rules allow"]
    return "\n".join(lines)


def _changes(work: Work) -> int:
    """Returns the number of changes that ran under a rule and can be taken back."""
    results = (done.result for done in work.progress.done)
    return sum(bool(result.ruled and result.undo) for result in results)


def _message(work: Work) -> Show:
    changes, turn = _changes(work), work.turn
    undo = UndoButton(UndoVerb.RULED, turn.id, 0)
    buttons = ((UNDO_BUTTONS.button(undo_label(changes), undo),),) if changes else ()
    kind = OutboundKind.OPTION if buttons else OutboundKind.NOTICE
    text = Plain(told(work), style="aside")
    content = Outbound(kind, (text,), buttons, silent=True)
    return Show(f"ruled:{turn.id}", turn.chat, content, about=turn.id)


def reads_unasked(work: Work) -> Show:
    """Returns the one line of a chat that tells which commands run there without a card.

    It is the same message each time, so people see it once.
    """
    content = Outbound(OutboundKind.NOTICE, (Plain(_READS, style="aside"),), silent=True)
    return Show(f"reads:{work.log.chat.shown_in}", work.turn.chat, content)
