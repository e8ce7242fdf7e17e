"""The rows of chats as the page reads them: newest first in parts, and what has changed since."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime

from sqlalchemy import (
    ColumnElement,
    Connection,
    Integer,
    ScalarSelect,
    Table,
    and_,
    bindparam,
    case,
    cast,
    func,
    select,
)

from bot.adapters.sql.chats import chats_within
from bot.adapters.sql.columns import columns
from bot.adapters.sql.outbox import ROWS as OUTBOX_ROWS
from bot.adapters.sql.portions import portions
from bot.adapters.sql.prepared import Prepared
from bot.adapters.sql.reads import Reads
from bot.adapters.sql.tables import (
    OWED,
    WAITING,
    account,
    audit,
    chat,
    entry,
    inbox,
    outbox,
    person,
    session,
    turn,
    usage,
)
from bot.domain.change.erasing import ERASED
from bot.domain.money.budget import CallKind
from bot.domain.money.money import Nano
from bot.domain.talk.chat import Chat
from bot.domain.talk.message import Address
from bot.domain.talk.person import Role
from bot.domain.talk.rights import Rights
from bot.domain.talk.session import PAGE
from bot.domain.turn.transcript import AskerBody
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
_NAMED = OUTBOX_ROWS.where(outbox.c.key.in_(bindparam("keys", expanding=True))).order_by(
    outbox.c.id.desc()
)
_NUMBERED = OUTBOX_ROWS.where(
    outbox.c.chat == bindparam("of"), outbox.c.id.in_(bindparam("ids", expanding=True))
)
_SHOWN_ONE = Prepared(OUTBOX_ROWS.where(outbox.c.id == bindparam("of")))


def _last(time: ColumnElement[datetime], table: Table) -> ScalarSelect[datetime]:
    """Returns the time of the last row of a chat: all of them are far too many to look at."""
    rows = select(time).where(table.c.chat == chat.c.id).order_by(table.c.id.desc())
    return rows.limit(1).scalar_subquery()


_NEWEST = select(
    chat.c.id, _last(inbox.c.received_at, inbox), _last(outbox.c.created_at, outbox)
).where(chat.c.id.in_(bindparam("chats", expanding=True)))
_TOPS = select(
    select(func.coalesce(func.max(inbox.c.id), 0)).scalar_subquery(),
    select(func.coalesce(func.max(outbox.c.id), 0)).scalar_subquery(),
    select(func.coalesce(func.max(audit.c.id), 0)).scalar_subquery(),
)
_ERASING = and_(audit.c.id > bindparam("line"), audit.c.action == ERASED)
_ERASED = Prepared(select(audit.c.id).where(_ERASING).limit(1))
_ERASED_BY = Prepared(
    select(audit.c.chat, audit.c.subject)
    .join(chat, chat.c.id == audit.c.chat)
    .where(_ERASING, audit.c.person == bindparam("by"), chat.c.private)
    .distinct()
)
_LAST_LINE = Prepared(select(func.coalesce(func.max(audit.c.id), 0)))
_SAID_STILL = select(inbox.c.key).where(
    inbox.c.channel == PAGE,
    inbox.c.key.in_(bindparam("keys", expanding=True)),
    inbox.c.body != "",
)
_ASKED = (
    select(inbox.c.id, inbox.c.message_id, entry.c.body)
    .join_from(inbox, turn, turn.c.id == inbox.c.turn)
    .join(entry, and_(entry.c.conversation == turn.c.conversation, entry.c.turn == turn.c.id))
    .where(inbox.c.id.in_(bindparam("rows", expanding=True)))
    .order_by(entry.c.seq.desc())
)
MOST_NEW = 1_000
"""New rows among which chats are looked for."""

_NEW_SAID = (
    select(inbox.c.id, inbox.c.chat)
    .where(inbox.c.id > bindparam("said"), inbox.c.chat.is_not(None))
    .limit(MOST_NEW)
)
_NEW_SHOWN = select(outbox.c.chat).where(outbox.c.id > bindparam("shown")).limit(MOST_NEW)
_WAITS = (
    select(inbox.c.chat, func.count(), func.sum(inbox.c.id), func.sum(func.length(inbox.c.body)))
    .where(WAITING, inbox.c.chat.is_not(None))
    .group_by(inbox.c.chat)
)
_LAST_ENTRY = Prepared(select(func.max(entry.c.seq)).where(entry.c.conversation == bindparam("of")))
_OWED_IN = select(outbox.c.chat).where(OWED).distinct()
_WINDOW = (
    select(outbox.c.version, outbox.c.shown_version)
    .where(outbox.c.chat == bindparam("of"))
    .order_by(outbox.c.id.desc())
    .limit(60)
    .subquery()
)
_VERSIONS = Prepared(select(func.sum(_WINDOW.c.version), func.sum(_WINDOW.c.shown_version)))
_TOKENS = usage.c.input + usage.c.output + usage.c.cache_read + usage.c.cache_write
_TOOK = (
    select(
        turn.c.id,
        turn.c.worked_ms,
        func.coalesce(func.sum(case((usage.c.kind == CallKind.ANSWER, _TOKENS), else_=0)), 0),
        func.sum(usage.c.cost),
        func.count(usage.c.id) - func.count(usage.c.cost),
        func.coalesce(func.max(cast(usage.c.estimated, Integer)), 0),
    )
    .outerjoin(usage, usage.c.turn == turn.c.id)
    .where(turn.c.id.in_(bindparam("turns", expanding=True)))
    .group_by(turn.c.id, turn.c.worked_ms)
)
_PAST = select(outbox.c.id, outbox.c.chat, outbox.c.version, outbox.c.shown_version).where(
    outbox.c.id.in_(bindparam("ids", expanding=True))
)
_OVERLAP = 50
"""Updates before the newest one that are looked at again: they get their chat a moment later."""

_LIVE = (
    select(session.c.id, person.c.role, person.c.rights)
    .join(account, account.c.person == session.c.person)
    .join(person, person.c.id == session.c.person)
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
    placed: frozenset[tuple[int, int]] = frozenset()
    """The newest updates that had their chat, each with it."""
    versions: Mapping[int, object] = field(default_factory=dict[int, object])
    """The versions of the newest messages of watched chats, summed up."""
    above: Mapping[int, tuple[int, ...]] = field(default_factory=dict[int, tuple[int, ...]])
    """The chats and the versions of messages further up that may change yet."""
    waits: Mapping[int, object] = field(default_factory=dict[int, object])
    """The messages of each chat that wait for their turn, summed up."""
    line: int = 0
    """The newest line of the record."""
    erased: bool = False
    """True when words were erased, which may stand on any open page."""


@frozen
class Took:
    """The work, the tokens and the cost of a turn, with what its helpers cost."""

    worked_ms: int
    tokens: int
    cost: Nano | None
    """The price of all its calls; None where there was none, or one price is not known."""
    estimated: bool


class SqlPageRows(Reads):
    async def accounts(self, person: int) -> Sequence[str]:
        """Returns the accounts of a person."""
        return [key for (key,) in await self._database.fetch(_ACCOUNTS, {"of": person})]

    async def doors(self, person: int, address: Address) -> tuple[Sequence[str], Sequence[Chat]]:
        """Returns the accounts of a person, and the chats at an address and below it, at once."""
        return await self._database.read(lambda c: _doors(c, person, address))

    async def said(self, chat: int, before: int, most: int) -> Sequence[InboundRow]:
        """Returns the newest updates of a chat before a row, the newest first."""
        return await self._all(InboundRow, _SAID, of=chat, before=before, most=most)

    async def shown(self, chat: int, before: int, most: int) -> Sequence[OutboxRow]:
        """Returns the newest messages of a chat before a row, the newest first."""
        return await self._all(OutboxRow, _SHOWN, of=chat, before=before, most=most)

    async def message(self, id: int) -> OutboxRow | None:
        return await self._one(OutboxRow, _SHOWN_ONE, of=id)

    async def named(self, keys: Collection[str]) -> Sequence[OutboxRow]:
        """Returns the messages with these keys, the newest first."""
        return await self._all(OutboxRow, _NAMED, keys=list(keys)) if keys else ()

    async def numbered(self, chat: int, ids: Collection[int]) -> Sequence[OutboxRow]:
        """Returns the messages of a chat with these numbers."""
        return await self._all(OutboxRow, _NUMBERED, of=chat, ids=list(ids))

    async def last_entry(self, conversation: str) -> int:
        """Returns the number of the newest entry of a conversation; 0 where nothing was said."""
        return (await self._database.fetch(_LAST_ENTRY, {"of": conversation}))[0][0] or 0

    async def line(self) -> int:
        """Returns the number of the newest line of the record."""
        return (await self._database.fetch(_LAST_LINE))[0][0]

    async def erased(self, person: int, line: int) -> Collection[tuple[int, str]]:
        """Returns what a person erased in private since a line of the record: chats, subjects."""
        found = await self._database.fetch(_ERASED_BY, {"line": line, "by": person})
        return [(of, subject) for of, subject in found]

    async def newest(self, chats: Collection[int]) -> Mapping[int, datetime]:
        """Returns the time of the newest message of each chat that has one."""
        return await self._database.read(lambda c: _newest(c, chats)) if chats else {}

    async def kept(self, keys: Collection[str]) -> Collection[str]:
        """Returns those of these keys of updates of the page whose words are still kept."""
        found = set[str]()
        for some in portions(keys):
            found.update(await self._scalars(_SAID_STILL, keys=some))
        return found

    async def asked(self, rows: Collection[int]) -> Mapping[int, AskerBody]:
        """Returns what updates brought, by row, as the log has it."""
        if not rows:
            return {}
        told = await self._database.fetch(_ASKED, {"rows": list(rows)})
        return {
            row: body
            for row, message, body in told
            if isinstance(body, AskerBody) and (body.message_id or "") == (message or "")
        }

    async def took(self, turns: Collection[str]) -> Mapping[str, Took]:
        """Returns what each of these turns took; none of one that is not there."""
        found = await self._database.fetch(_TOOK, {"turns": list(turns)}) if turns else ()
        return {
            id: Took(
                worked, int(tokens), None if cost is None or unknown else int(cost), guessed > 0
            )
            for id, worked, tokens, cost, unknown, guessed in found
        }

    async def stirred(
        self, since: Stirred, watched: Collection[int] = (), past: Collection[int] = ()
    ) -> Stirred:
        """Returns the chats in which something is new since then.

        Of those that are `watched`, also a change that came and was delivered in between: of one of
        their newest messages, or of one of these `past` ones.
        """
        return await self._database.read(lambda c: _stirred(c, since, watched, past))

    async def live(self, ids: Collection[str], now: datetime) -> Mapping[str, tuple[Role, Rights]]:
        """Returns the sessions among these that have not ended, with what their people may do."""
        found = await self._database.fetch(_LIVE, {"ids": list(ids), "now": now})
        return {id: (role, rights) for id, role, rights in found}


def _doors(
    connection: Connection, person: int, address: Address
) -> tuple[Sequence[str], Sequence[Chat]]:
    accounts = [key for (key,) in _ACCOUNTS.rows(connection, {"of": person})]
    return accounts, chats_within(connection, address)


def _newest(connection: Connection, chats: Collection[int]) -> Mapping[int, datetime]:
    found = connection.execute(_NEWEST, {"chats": list(chats)})
    times = {id: [at for at in both if at is not None] for id, *both in found}
    return {id: max(some) for id, some in times.items() if some}


def _stirred(
    connection: Connection, since: Stirred, watched: Collection[int], past: Collection[int]
) -> Stirred:
    said, shown, line = connection.execute(_TOPS).one()
    owed = frozenset(connection.execute(_OWED_IN).scalars())
    before = {"said": max(0, since.said - _OVERLAP), "shown": since.shown}
    placed = frozenset((id, chat) for id, chat in connection.execute(_NEW_SAID, before))
    new = {chat for _, chat in placed - since.placed}
    new |= {*connection.execute(_NEW_SHOWN, before).scalars()}
    versions = {chat: tuple(_VERSIONS.rows(connection, {"of": chat})[0]) for chat in watched}
    new |= {chat for chat in versions if versions[chat] != since.versions.get(chat)}
    above = (
        {id: tuple(told) for id, *told in connection.execute(_PAST, {"ids": list(past)})}
        if past
        else {}
    )
    new |= {told[0] for id, told in above.items() if told != since.above.get(id)}
    waits = {chat: tuple(told) for chat, *told in connection.execute(_WAITS)}
    new |= {chat for chat in {*waits, *since.waits} if waits.get(chat) != since.waits.get(chat)}
    erased = 0 < since.line < line and bool(_ERASED.rows(connection, {"line": since.line}))
    chats = frozenset(new | owed | since.owed)
    return Stirred(said, shown, chats, owed, placed, versions, above, waits, line, erased)
