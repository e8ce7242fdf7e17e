"""Chats and their conversations."""

from collections.abc import Sequence
from datetime import datetime
from functools import partial
from uuid import uuid4

from sqlalchemy import Connection, bindparam, exists, insert, select, update

from bot.adapters.sql.clock import Now
from bot.adapters.sql.database import Database
from bot.adapters.sql.fields import columns, names, values
from bot.adapters.sql.tables import chat, conversation
from bot.adapters.sql.upsert import Upsert, overwrite
from bot.domain.change import MoveChat, NameChat, SaveChat, SaveConversation
from bot.domain.chat import Activation, Chat, Conversation, QueueMode
from bot.domain.errors import StoreError
from bot.domain.message import Address

_CHATS = select(*columns(chat, Chat))
_AT = _CHATS.where(chat.c.address == bindparam("of"))
_BY_ID = _CHATS.where(chat.c.id == bindparam("of"))
_OTHER = chat.alias("other")
_ADD = Upsert(chat, ["address"])
_SETTINGS = (
    "conversation",
    "private",
    "queue_mode",
    "model",
    "timezone",
    "activation",
    "context",
)
_SAVE = (
    update(chat)
    .where(chat.c.id == bindparam("of"))
    .values({name: bindparam(name) for name in _SETTINGS})
)
_NAME = update(chat).where(chat.c.id == bindparam("of")).values(title=bindparam("called"))
_MOVE = (
    update(chat)
    .where(
        chat.c.address == bindparam("old"),
        ~exists().where(_OTHER.c.address == bindparam("new", type_=chat.c.address.type)),
    )
    .values(address=bindparam("new"), moved_from=chat.c.address)
)
_FIELDS = names(Conversation)
_CONVERSATIONS = select(*columns(conversation, Conversation))
_CLOSED = (
    _CONVERSATIONS.where(
        conversation.c.chat == bindparam("of"), conversation.c.closed_at.is_not(None)
    )
    .order_by(conversation.c.closed_at.desc(), conversation.c.id)
    .limit(bindparam("most"))
)
_CONVERSATION = _CONVERSATIONS.where(
    conversation.c.id == bindparam("wanted"), conversation.c.chat == bindparam("of")
)
_SAVE_CONVERSATION = Upsert(
    conversation, ["id"], overwrite("opened_at", "closed_at", "title", "summary")
)


class SqlChats:
    def __init__(self, database: Database, now: Now) -> None:
        self._database = database
        self._now = now

    async def at(self, address: Address, *, private: bool) -> Chat:
        found = await self._database.read(lambda c: _first(c, address))
        if found is not None:
            return found
        return await self._database.write(
            partial(_found, address=address, private=private, at=self._now())
        )

    async def get(self, chat: int) -> Chat:
        row = await self._database.read(lambda c: c.execute(_BY_ID, {"of": chat}).first())
        if row is None:
            raise StoreError(f"there is no chat {chat}")
        return Chat(*row)

    async def conversations(self, chat: int, limit: int) -> Sequence[Conversation]:
        wanted = {"of": chat, "most": limit}
        return await self._database.read(
            lambda c: [Conversation(*row) for row in c.execute(_CLOSED, wanted)]
        )

    async def conversation(self, chat: int, id: str) -> Conversation | None:
        wanted = {"of": chat, "wanted": id}
        row = await self._database.read(lambda c: c.execute(_CONVERSATION, wanted).first())
        return None if row is None else Conversation(*row)


def save_chats(connection: Connection, writes: Sequence[SaveChat], _at: datetime) -> None:
    rows = [{**values(write.chat, _SETTINGS), "of": write.chat.id} for write in writes]
    connection.execute(_SAVE, rows)


def name_chats(connection: Connection, writes: Sequence[NameChat], _at: datetime) -> None:
    connection.execute(_NAME, [{"of": w.chat, "called": w.title} for w in writes])


def move_chats(connection: Connection, writes: Sequence[MoveChat], _at: datetime) -> None:
    for write in writes:
        connection.execute(_MOVE, {"old": write.old, "new": write.new})


def save_conversations(
    connection: Connection, writes: Sequence[SaveConversation], _at: datetime
) -> None:
    _SAVE_CONVERSATION.run(connection, *(values(w.conversation, _FIELDS) for w in writes))


def _first(connection: Connection, address: Address) -> Chat | None:
    row = connection.execute(_AT, {"of": address}).first()
    return None if row is None else Chat(*row)


def _found(connection: Connection, address: Address, private: bool, at: datetime) -> Chat:
    """Founds a chat with its first conversation, unless someone just did."""
    opened = uuid4().hex
    row = {
        "address": address,
        "conversation": opened,
        "private": private,
        "queue_mode": QueueMode.QUEUE,
        "fence": 0,
        "last_seq": 0,
        "title": "",
        "activation": Activation.MENTION,
        "context": False,
    }
    new = _ADD.run(connection, row)
    founded = _first(connection, address)
    if founded is None:
        raise StoreError(f"the chat at {address.key} was not stored")
    if new:
        first = Conversation(opened, founded.id, at)
        connection.execute(insert(conversation), values(first, _FIELDS))
    return founded
