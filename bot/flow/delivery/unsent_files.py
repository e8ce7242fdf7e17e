"""Tells people of files that a platform refused, since the answer may speak of them."""

from bot.domain.change import Change, Show
from bot.domain.talk.message import Outbound, OutboundKind, Plain
from bot.domain.text.names import brief_name
from bot.domain.text.visible_text import clipped, one_line
from bot.ports.journal import Journal
from bot.ports.outbox import OutboxRow

_SHOWN_OTHERWISE = (OutboundKind.CARD, OutboundKind.VOICE, OutboundKind.CALLS)
"""Kinds of messages of which somebody else tells, or that have another form without the file."""

_LONGEST_REASON = 200


def leaves_files(row: OutboxRow) -> bool:
    """Returns True for a message whose files people would miss without a word."""
    return bool(row.content.files) and row.content.kind not in _SHOWN_OTHERWISE


class UnsentFiles:
    """Owes one line for each refused message with files; told again, it is the same line."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal

    async def tell(self, row: OutboxRow, why: str) -> None:
        if not leaves_files(row):
            return
        names = ", ".join(brief_name(file.name) for file in row.content.files)
        told = f"📎 I could not send {names}: {clipped(one_line(why, _LONGEST_REASON), 200)}"
        content = Outbound(OutboundKind.NOTICE, (Plain(f"{told.rstrip('.')}."),))
        shown = Show(f"unsent:{row.key}", row.chat, content, about=row.about)
        await self._journal.commit(Change((shown,), durable=True))
