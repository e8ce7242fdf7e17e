"""The rows of chats as the page reads them: newest first in parts, and what has changed since."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime

from sqlalchemy import Connection, bindparam, func, select

from bot.adapters.sql.columns import columns
from bot.adapters.sql.outbox import ROWS as OUTBOX_ROWS
from bot.adapters.sql.portions import portions
from bot.adapters.sql.prepared import Prepared
from bot.adapters.sql.reads import Reads
from bot.adapters.sql.tables import OWED, account, inbox, outbox, session
from bot.domain.talk.session import PAGE
from bot.domain.value import field, frozen
from bot.ports.inbox import InboundRow
from bot.ports.outbox import DeliveryState, OutboxRow

_ACCOUNTS = Prepared(
    select(account.c.key).where(account.c.person == bindparam("of")).order_by(account.c.key)
)
_SAID = Prepared(
    select(*columns(inbox, InboundRow))
    .where(inbox.c.chat == bindparam("of"), inbox.c.id < bindparam("before"))
    .order_by(inbox.c.id.desc())
    .limit(bindparam("most"))
)
_SHOWN = Prepared(
    OUTBOX_ROWS.where(
        outbox.c.chat == bindparam("of"),
        outbox.c.id < bindparam("before"),
        outbox.c.state != DeliveryState.DEAD,
    )
    .order_by(outbox.c.id.desc())
    .limit(bindparam("most"))
)
_SHOWN_ONE = Prepared(OUTBOX_ROWS.where(outbox.c.id == bindparam("of")))
_LAST_SAID = (
    select(inbox.c.chat, func.max(inbox.c.id))
    .where(inbox.c.chat.in_(bindparam("chats", expanding=True)))
    .group_by(inbox.c.chat)
)
_LAST_SHOWN = (
    select(outbox.c.chat, func.max(outbox.c.id))
    .where(outbox.c.chat.in_(bindparam("chats", expanding=True)))
    .group_by(outbox.c.chat)
)
_SAID_AT = select(inbox.c.chat, inbox.c.received_at).where(
    inbox.c.id.in_(bindparam("ids", expanding=True))
)
_SHOWN_AT = select(outbox.c.chat, outbox.c.created_at).where(
    outbox.c.id.in_(bindparam("ids", expanding=True))
)
_TOPS = select(
    select(func.coalesce(func.max(inbox.c.id), 0)).scalar_subquery(),
    select(func.coalesce(func.max(outbox.c.id), 0)).scalar_subquery(),
)
_SAID_STILL = select(inbox.c.key).where(
    inbox.c.channel == PAGE,
    inbox.c.key.in_(bindparam("keys", expanding=True)),
    inbox.c.body != "",
)
MOST_NEW = 1_000
"""New rows among which chats are looked for."""

_NEW_SAID = (
    select(inbox.c.chat)
    .where(inbox.c.id > bindparam("said"), inbox.c.chat.is_not(None))
    .limit(MOST_NEW)
)
_NEW_SHOWN = select(outbox.c.chat).where(outbox.c.id > bindparam("shown")).limit(MOST_NEW)
_OWED_IN = select(outbox.c.chat).where(OWED).distinct()
_WINDOW = (
    select(outbox.c.version, outbox.c.shown_version)
    .where(outbox.c.chat == bindparam("of"))
    .order_by(outbox.c.id.desc())
    .limit(60)
    .subquery()
)
_VERSIONS = Prepared(select(func.sum(_WINDOW.c.version), func.sum(_WINDOW.c.shown_version)))
_OVERLAP = 50
"""Updates before the newest one that are looked at again: they get their chat a moment later."""

_LIVE = (
    select(session.c.id)
    .join(account, account.c.person == session.c.person)
    .where(session.c.id.in_(bindparam("ids", expanding=True)), session.c.ends_at > bindparam("now"))
    .distinct()
)


@frozen
class Stirred:
    """The chats in which something is new, and the newest rows of all chats by now."""

    said: int = 0
    shown: int = 0
    chats: frozenset[int] = frozenset()
    owed: frozenset[int] = frozenset()
    """Those with a message that is on its way; it looks different a moment later."""
    versions: Mapping[int, object] = field(default_factory=dict[int, object])
    """The versions of the newest messages of watched chats, summed up."""


class SqlPageRows(Reads):
    async def accounts(self, person: int) -> Sequence[str]:
        """Returns the accounts of a person."""
        return [key for (key,) in await self._database.fetch(_ACCOUNTS, {"of": person})]

    async def said(self, chat: int, before: int, most: int) -> Sequence[InboundRow]:
        """Returns the newest updates of a chat before a row, the newest first."""
        return await self._all(InboundRow, _SAID, of=chat, before=before, most=most)

    async def shown(self, chat: int, before: int, most: int) -> Sequence[OutboxRow]:
        """Returns the newest messages of a chat before a row, the newest first."""
        return await self._all(OutboxRow, _SHOWN, of=chat, before=before, most=most)

    async def message(self, id: int) -> OutboxRow | None:
        return await self._one(OutboxRow, _SHOWN_ONE, of=id)

    async def newest(self, chats: Collection[int]) -> Mapping[int, datetime]:
        """Returns the time of the newest message of each chat that has one."""
        return await self._database.read(lambda c: _newest(c, chats)) if chats else {}

    async def kept(self, keys: Collection[str]) -> Collection[str]:
        """Returns those of these keys of updates of the page whose words are still kept."""
        found = set[str]()
        for some in portions(keys):
            found.update(await self._scalars(_SAID_STILL, keys=some))
        return found

    async def stirred(self, since: Stirred, watched: Collection[int] = ()) -> Stirred:
        """Returns the chats in which something is new since then.

        Of those that are `watched`, also a change that came and was delivered in between.
        """
        return await self._database.read(lambda c: _stirred(c, since, watched))

    async def live(self, ids: Collection[str], now: datetime) -> Collection[str]:
        """Returns the sessions among these that have not ended."""
        found = await self._database.read(
            lambda c: list(c.execute(_LIVE, {"ids": list(ids), "now": now}).scalars())
        )
        return frozenset(found)


def _newest(connection: Connection, chats: Collection[int]) -> Mapping[int, datetime]:
    found: dict[int, datetime] = {}
    for last, times in ((_LAST_SAID, _SAID_AT), (_LAST_SHOWN, _SHOWN_AT)):
        ids = [id for _, id in connection.execute(last, {"chats": list(chats)})]
        for chat, at in connection.execute(times, {"ids": ids}):
            found[chat] = max(at, found.get(chat, at))
    return found


def _stirred(connection: Connection, since: Stirred, watched: Collection[int]) -> Stirred:
    said, shown = connection.execute(_TOPS).one()
    owed = frozenset(connection.execute(_OWED_IN).scalars())
    before = {"said": max(0, since.said - _OVERLAP), "shown": since.shown}
    new = {*connection.execute(_NEW_SAID, before).scalars()}
    new |= {*connection.execute(_NEW_SHOWN, before).scalars()}
    versions = {chat: tuple(_VERSIONS.rows(connection, {"of": chat})[0]) for chat in watched}
    new |= {chat for chat in versions if versions[chat] != since.versions.get(chat)}
    return Stirred(said, shown, frozenset(new | owed | since.owed), owed, versions)
