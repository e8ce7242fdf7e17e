"""The places of turns and conversations in chats, for links to what a search found."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime

from sqlalchemy import Connection, bindparam, func, select

from bot.adapters.sql.reads import Reads
from bot.adapters.sql.tables import conversation, inbox, outbox, passage
from bot.domain.value import frozen

_TITLED = (
    select(
        conversation.c.id,
        conversation.c.chat,
        conversation.c.title,
        conversation.c.opened_at,
        conversation.c.closed_at,
    )
    .where(conversation.c.chat.in_(bindparam("chats", expanding=True)), conversation.c.title != "")
    .order_by(conversation.c.opened_at.desc(), conversation.c.id)
    .limit(bindparam("most"))
)
_LAST = select(func.max(passage.c.number)).where(passage.c.conversation == bindparam("of"))
_TURN = select(passage.c.id).where(passage.c.number == bindparam("of"))
_SHOWN = select(outbox.c.id, outbox.c.created_at).where(
    outbox.c.about == bindparam("of"), outbox.c.chat == bindparam("within")
)
_SAID = select(func.max(inbox.c.id)).where(
    inbox.c.turn == bindparam("of"), inbox.c.chat == bindparam("within")
)
_SAID_BY = (
    select(inbox.c.id)
    .where(inbox.c.chat == bindparam("within"), inbox.c.received_at <= bindparam("at"))
    .order_by(inbox.c.id.desc())
    .limit(1)
)


@frozen
class TitledTalk:
    """A conversation that a person has given a name."""

    id: str
    chat: int
    title: str
    opened_at: datetime
    closed_at: datetime | None


class SqlPagePlaces(Reads):
    async def titled(self, chats: Collection[int], limit: int) -> Sequence[TitledTalk]:
        """Returns the newest conversations of chats that have a title."""
        if not chats:
            return ()
        named: Mapping[str, object] = {"chats": list(chats), "most": limit}
        return await self._database.read(
            lambda c: [TitledTalk(*row) for row in c.execute(_TITLED, named)]
        )

    async def last_turn(self, conversation: str) -> str | None:
        """Returns the newest answered turn of a conversation that is remembered."""
        return await self._database.read(lambda c: _last_turn(c, conversation))

    async def rows_of(self, chat: int, turn: str) -> tuple[int, int] | None:
        """Returns the last rows of inbox and outbox by the end of a turn; None if none is shown."""
        return await self._database.read(lambda c: _rows_of(c, chat, turn))


def _last_turn(connection: Connection, conversation: str) -> str | None:
    last = connection.scalar(_LAST, {"of": conversation})
    return None if last is None else connection.scalar(_TURN, {"of": last})


def _rows_of(connection: Connection, chat: int, turn: str) -> tuple[int, int] | None:
    shown = list(connection.execute(_SHOWN, {"of": turn, "within": chat}))
    if not shown:
        return None
    said = connection.scalar(_SAID, {"of": turn, "within": chat})
    if said is None:
        # A task began it: the words before stand above it.
        at = max(at for _, at in shown)
        said = connection.scalar(_SAID_BY, {"within": chat, "at": at})
    return said or 0, max(id for id, _ in shown)
