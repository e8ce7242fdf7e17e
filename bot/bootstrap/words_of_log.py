"""Words of people as the log has them, where the update that brought them is kept no more."""

from collections.abc import Mapping, Sequence

from bot.adapters.sql.page_rows import SqlPageRows
from bot.domain.change.erasing import is_erased
from bot.domain.talk.message import Address, InboundMessage
from bot.domain.talk.person import Sender
from bot.ports.inbox import InboundRow


async def words_of_log(
    rows: Sequence[InboundRow], page: SqlPageRows, address: Address
) -> Mapping[int, InboundMessage]:
    """Returns the messages of these rows that lost their body, by row; erased ones are left out.

    A message in fragments is one message of the log, which stands where its first fragment did.
    """
    empty = {row.id: row for row in rows if not row.body}
    found = dict[int, InboundMessage]()
    for id, body in (await page.asked(empty)).items():
        if not is_erased(body):
            row = empty[id]
            who = Sender(row.channel, "", body.speaker)
            words = (address, who, body.message_id or "", body.purpose, row.received_at)
            found[id] = InboundMessage(*words)
    return found
