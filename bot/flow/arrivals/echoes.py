"""Shows in a chat what was written to it elsewhere, such as in a terminal."""

from bot.domain.change import Change, Show
from bot.domain.change.erasing import ECHOES
from bot.domain.talk.chat import Chat
from bot.domain.talk.message import InboundMessage, Outbound, OutboundKind, Plain
from bot.domain.text.names import cited_name
from bot.domain.value import frozen
from bot.ports.inbox import InboundRow
from bot.ports.journal import Journal


@frozen
class Echoes:
    _journal: Journal

    async def show(self, row: InboundRow, message: InboundMessage, chat: Chat) -> None:
        """Shows the words without a sound; an update that is routed once more shows them once."""
        who = cited_name(message.sender.name) if message.as_guest else "You"
        said = Plain(f"💻 {who} wrote {message.elsewhere}: {message.text}")
        content = Outbound(OutboundKind.NOTICE, (said,), silent=True)
        await self._journal.commit(Change((Show(f"{ECHOES}{row.id}", chat.id, content),)))
