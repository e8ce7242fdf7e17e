"""Everything that was said with somebody."""

from collections.abc import Sequence

from sqlalchemy import bindparam, or_, select

from bot.adapters.sql.database import Database
from bot.adapters.sql.tables import chat, conversation, passage
from bot.domain.passage import Whose
from bot.ports.belongings import Talk

_CHATS = select(passage.c.chat).where(passage.c.whose == bindparam("of"))
_TALKS = (
    select(chat.c.address, conversation.c.id)
    .join_from(conversation, chat, conversation.c.chat == chat.c.id)
    .where(or_(chat.c.id.in_(_CHATS), chat.c.screen.in_(_CHATS)))
    .order_by(conversation.c.opened_at, conversation.c.id)
)


class SqlBelongings:
    def __init__(self, database: Database) -> None:
        self._database = database

    async def talks(self, whose: Whose) -> Sequence[Talk]:
        return await self._database.read(
            lambda c: [Talk(address.key, id) for address, id in c.execute(_TALKS, {"of": whose})]
        )
