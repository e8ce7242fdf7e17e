"""Everything that was said with somebody."""

from collections.abc import Sequence

from sqlalchemy import bindparam, func, select

from bot.adapters.sql.columns import columns
from bot.adapters.sql.erasing_traces import chats_of
from bot.adapters.sql.reads import Reads
from bot.adapters.sql.tables import chat, conversation, passage
from bot.domain.memory.imported import IMPORTED
from bot.domain.memory.passage import Passage, Whose
from bot.ports.belongings import Talk

_CHATS = bindparam("chats", expanding=True)
_TALKS = (
    select(chat.c.address, conversation.c.id)
    .join_from(conversation, chat, conversation.c.chat == chat.c.id)
    .where(func.coalesce(chat.c.screen, chat.c.id).in_(_CHATS))
    .order_by(conversation.c.opened_at, conversation.c.id)
)
_IMPORTED = (
    select(*columns(passage, Passage))
    .where(
        passage.c.whose == bindparam("of"),
        passage.c.id.startswith(IMPORTED),
        passage.c.number > bindparam("last"),
    )
    .order_by(passage.c.number)
    .limit(bindparam("most"))
)


class SqlBelongings(Reads):
    async def talks(self, whose: Whose) -> Sequence[Talk]:
        return await self._database.read(
            lambda c: [
                Talk(address.key, id)
                for address, id in c.execute(_TALKS, {"chats": chats_of(c, whose)})
            ]
        )

    async def imported(self, whose: Whose, after: int, limit: int) -> Sequence[Passage]:
        return await self._all(Passage, _IMPORTED, of=whose, last=after, most=limit)
