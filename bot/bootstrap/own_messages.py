"""Words of a person as the page shows them: a change stands in the place of what it changes."""

import zlib
from collections.abc import Callable, Sequence

from bot.domain.change import InboundState
from bot.domain.talk.message import InboundMessage
from bot.domain.value import frozen
from bot.ports.inbox import InboundRow


@frozen
class OwnMessage:
    """A message with its newest words."""

    row: InboundRow
    """The update that brought it."""
    newest: InboundRow
    """The update that brought its newest words."""
    message: InboundMessage

    @property
    def waits(self) -> int:
        """Returns a number made of words that wait for their turn; 0 for others, which stay."""
        if self.row.state is not InboundState.WAITING:
            return 0
        return zlib.crc32(self.newest.body.encode("utf-8", "surrogatepass")) or 1


def own_messages(
    rows: Sequence[InboundRow], read: Callable[[InboundRow], InboundMessage | None]
) -> Sequence[OwnMessage]:
    """Returns the messages among updates of a chat, which come and are returned newest first.

    A change of a message that is not among them stands for itself.
    """
    read_rows = [(row, message) for row in rows if (message := read(row)) is not None]
    first = {message.message_id for _, message in read_rows if not message.edited} - {""}
    changes: dict[str, tuple[InboundRow, InboundMessage]] = {}
    told = list[OwnMessage]()
    for row, message in read_rows:
        if message.edited and message.message_id in first:
            changes.setdefault(message.message_id, (row, message))
        else:
            told.append(OwnMessage(row, *changes.get(message.message_id, (row, message))))
    return told
