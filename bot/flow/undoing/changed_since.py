"""The message about a file that somebody changed since: what it is, and what it would become."""

from collections.abc import Sequence

from bot.domain.change import Show
from bot.domain.talk.message import Block, Outbound, OutboundKind, Plain
from bot.domain.tools.file_change import UNDO_BUTTONS, FileChange, UndoButton, UndoVerb
from bot.domain.tools.tool import Effect, Preview
from bot.flow.approvals.fitting import whole
from bot.flow.undoing import wording


def question(turn: str, change: FileChange, told: Sequence[Block]) -> Show:
    """Returns the message of a turn; a long difference comes as a document too."""
    title = wording.met_title(change)
    preview = Preview(title, title, Effect.WRITE, tuple(told), document="difference.diff")
    blocks, files = whole(preview)
    end = Plain(wording.met_end(change), style="aside")
    verbs = ((wording.ANYWAY, UndoVerb.ANYWAY), (wording.KEEP, UndoVerb.KEEP))
    buttons = tuple(
        UNDO_BUTTONS.button(label, UndoButton(verb, change.id, change.flips))
        for label, verb in verbs
    )
    shown = (Plain(title, style="title"), *blocks, end)
    content = Outbound(OutboundKind.OPTION, shown, (buttons,), files)
    return Show(f"undo:{turn}:{change.id}", change.chat, content, about=turn)
