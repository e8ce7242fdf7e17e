"""Chats and their conversations."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import Any
from uuid import uuid4

from sqlalchemy import (
    Connection,
    Text,
    bindparam,
    delete,
    exists,
    insert,
    or_,
    select,
    type_coerce,
    update,
)

from bot.adapters.sql.columns import columns, names, values
from bot.adapters.sql.database import Database, Now, first_of
from bot.adapters.sql.entries import past_of
from bot.adapters.sql.prepared import Prepared
from bot.adapters.sql.reads import Reads
from bot.adapters.sql.tables import OPENABLE, chat, conversation, entry, voice_note
from bot.adapters.sql.upsert import Upsert, overwrite
from bot.domain.change import (
    ChooseSkill,
    EndGrants,
    NameChat,
    NoteOffer,
    OpenConversation,
    SaveConversation,
    SaveSettings,
    SetVoice,
)
from bot.domain.talk.chat import Chat, ChatSettings, Conversation, ListedConversation
from bot.domain.talk.errors import NoSuchChat, StoreFault
from bot.domain.talk.message import Address
from bot.domain.turn.transcript import AskerBody

_MOST_BEFORE = 24
"""Entries of a conversation among which the first words of a person are looked for."""

_SWITCHES = names(ChatSettings)
_OWN = tuple(name for name in names(Chat) if name != "settings")
CHAT_COLUMNS = tuple(chat.c[name] for name in (*_OWN, *_SWITCHES))
"""The columns from which `chat_of` makes a chat, in this order."""

_CHATS = select(*CHAT_COLUMNS)
_AT = Prepared(_CHATS.where(chat.c.address == bindparam("of")))
_BY_ID = Prepared(_CHATS.where(chat.c.id == bindparam("of")))
_MOVED_FROM = _CHATS.where(chat.c.moved_from == bindparam("of")).order_by(chat.c.id.desc())
_WITHIN = Prepared(
    _CHATS.where(
        or_(
            chat.c.address == bindparam("of"),
            chat.c.moved_from == bindparam("of"),
            type_coerce(chat.c.address, Text).startswith(bindparam("topics", type_=Text)),
        )
    ).order_by(chat.c.id)
)
_OF_CHANNEL = (
    select(chat.c.address)
    .where(type_coerce(chat.c.address, Text).startswith(bindparam("of", type_=Text)))
    .order_by(chat.c.id.desc())
    .limit(bindparam("most"))
)
_ADD = Upsert(chat, ["address"])
_OPEN = update(chat).where(chat.c.id == bindparam("of")).values(conversation=bindparam("opened"))
_NAME = update(chat).where(chat.c.id == bindparam("of")).values(title=bindparam("called"))
_SET_VOICE = update(chat).where(chat.c.id == bindparam("of")).values(voice=bindparam("spoken"))
_END_VOICES = delete(voice_note).where(voice_note.c.chat == bindparam("of"))
_CHOOSE = (
    update(chat)
    .where(chat.c.id == bindparam("of"))
    .values(skill=bindparam("chosen", type_=chat.c.skill.type), skill_lent=bindparam("lent"))
)
_LEND = _CHOOSE.where(chat.c.skill.is_(None) | chat.c.skill_lent)
_OFFER = update(chat).where(chat.c.id == bindparam("of")).values(offered=bindparam("mark"))
_FORGET_OFFER = (
    update(chat)
    .where(chat.c.id == bindparam("of"), chat.c.offered != bindparam("keep"))
    .values(offered=None)
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
_HOLDS = or_(
    conversation.c.closed_at.is_(None),
    conversation.c.parent.is_not(None),
    exists().where(entry.c.conversation == conversation.c.id),
)
_LISTED = _CONVERSATIONS.where(conversation.c.chat == bindparam("of"), OPENABLE, _HOLDS)
_LISTED_OPEN = _LISTED.where(conversation.c.closed_at.is_(None)).order_by(conversation.c.id)
_LISTED_CLOSED = (
    _LISTED.where(conversation.c.closed_at.is_not(None))
    .order_by(conversation.c.closed_at.desc(), conversation.c.id)
    .limit(bindparam("most"))
    .offset(bindparam("skipped"))
)
"""Apart from the open ones: so an index gives their order, however many there are."""

_BEGINNING = (
    select(entry.c.body)
    .where(entry.c.conversation == bindparam("of"))
    .order_by(entry.c.seq)
    .limit(_MOST_BEFORE)
)
_SAVE_CONVERSATION = Upsert(
    conversation, ["id"], overwrite("opened_at", "closed_at", "title", "summary", "in_use")
)


class SqlChats(Reads):
    def __init__(self, database: Database, now: Now) -> None:
        super().__init__(database)
        self._now = now

    async def at(self, address: Address, *, private: bool) -> Chat:
        known = first_of(await self._database.fetch(_AT, {"of": address}))
        if known is not None:
            return chat_of(known)
        return await self._database.write(
            partial(_found, address=address, private=private, at=self._now()), repeatable=True
        )

    async def within(self, address: Address) -> Sequence[Chat]:
        return await self._database.read(lambda c: chats_within(c, address))

    async def of_channel(self, channel: str, limit: int) -> Sequence[Address]:
        return await self._scalars(_OF_CHANNEL, of=f"{channel}:", most=limit)

    async def get(self, chat: int) -> Chat:
        row = first_of(await self._database.fetch(_BY_ID, {"of": chat}))
        if row is not None and chat_of(row).screen is None:
            return chat_of(row)
        return await self._database.read(lambda c: one(c, chat))

    async def conversations(self, chat: int, limit: int) -> Sequence[Conversation]:
        return await self._all(Conversation, _CLOSED, of=chat, most=limit)

    async def listed(self, chat: int, limit: int, skip: int = 0) -> Sequence[ListedConversation]:
        wanted = {"of": chat, "most": limit, "skipped": skip}
        return await self._database.read(partial(_listed, wanted=wanted))

    async def listing(self, chat: int, id: str) -> ListedConversation | None:
        return await self._database.read(partial(_listing, chat=chat, id=id))

    async def conversation(self, chat: int, id: str) -> Conversation | None:
        return await self._one(Conversation, _CONVERSATION, of=chat, wanted=id)


def _listed(connection: Connection, wanted: Mapping[str, int]) -> list[ListedConversation]:
    of, most, skipped = wanted["of"], wanted["most"], wanted["skipped"]
    opened = connection.execute(_LISTED_OPEN, {"of": of}).all()
    rows = opened[skipped : skipped + most]
    if most > len(rows):
        more = {"of": of, "most": most - len(rows), "skipped": max(0, skipped - len(opened))}
        rows = [*rows, *connection.execute(_LISTED_CLOSED, more)]
    found = [Conversation(*row) for row in rows]
    return [ListedConversation(each, _begins(connection, each.id)) for each in found]


def _listing(connection: Connection, chat: int, id: str) -> ListedConversation | None:
    row = connection.execute(_CONVERSATION, {"of": chat, "wanted": id}).first()
    found = None if row is None else Conversation(*row)
    if found is None or not found.openable:
        return None
    return ListedConversation(found, _begins(connection, id))


def _begins(connection: Connection, id: str) -> str:
    """Returns the first words of a person in a conversation, or in the nearest of its parents."""
    for of in (id, *(parent for parent, _ in past_of(connection, id))):
        for body in connection.execute(_BEGINNING, {"of": of}).scalars():
            if isinstance(body, AskerBody) and body.purpose:
                return body.purpose
    return ""


def chats_within(connection: Connection, address: Address) -> list[Chat]:
    """Returns the chats at an address, and those of topics in it."""
    wanted = {"of": address, "topics": f"{address.key}/"}
    return [chat_of(row) for row in _WITHIN.rows(connection, wanted)]


def chat_of(row: Sequence[Any]) -> Chat:
    """Returns the chat of a row of `CHAT_COLUMNS`."""
    return Chat(*row[: len(_OWN)], settings=ChatSettings(*row[len(_OWN) :]))


def one(connection: Connection, chat: int) -> Chat:
    row = _BY_ID.first(connection, {"of": chat})
    if row is None:
        raise NoSuchChat(f"there is no chat {chat}")
    return at_home(connection, chat_of(row))


def at_home(connection: Connection, known: Chat) -> Chat:
    """Returns the home of an errand with the place that its screen has now; others as they are."""
    if known.screen is None:
        return known
    [row] = _BY_ID.rows(connection, {"of": known.screen})
    screen = chat_of(row)
    place = {"address": screen.address, "title": screen.title, "moved_from": screen.moved_from}
    return replace(known, **place)


def save_settings(connection: Connection, writes: Sequence[SaveSettings], _at: datetime) -> None:
    for write in writes:
        if changed := write.changed:
            saved = update(chat).where(chat.c.id == write.chat.id).values(changed)
            connection.execute(saved)
        if changed.get("voice") is False:
            connection.execute(_END_VOICES, {"of": write.chat.id})


def open_conversations(
    connection: Connection, writes: Sequence[OpenConversation], _at: datetime
) -> None:
    connection.execute(_OPEN, [{"of": w.chat, "opened": w.conversation} for w in writes])


def name_chats(connection: Connection, writes: Sequence[NameChat], _at: datetime) -> None:
    connection.execute(_NAME, [{"of": w.chat, "called": w.title} for w in writes])


def choose_skills(connection: Connection, writes: Sequence[ChooseSkill], _at: datetime) -> None:
    for write in writes:
        row = {"of": write.chat, "chosen": write.skill, "lent": write.lent and bool(write.skill)}
        connection.execute(_LEND if write.lent else _CHOOSE, row)


def set_voices(connection: Connection, writes: Sequence[SetVoice], _at: datetime) -> None:
    connection.execute(_SET_VOICE, [{"of": write.chat, "spoken": write.on} for write in writes])
    if silent := [{"of": write.chat} for write in writes if not write.on]:
        connection.execute(_END_VOICES, silent)


def note_offers(connection: Connection, writes: Sequence[NoteOffer], _at: datetime) -> None:
    connection.execute(_OFFER, [{"of": write.chat, "mark": write.under} for write in writes])


def forget_offers(connection: Connection, writes: Sequence[EndGrants]) -> None:
    """Forgets what cards have offered, but for the skills that stay in use."""
    rows = [{"of": write.chat, "keep": write.keep or ""} for write in writes]
    connection.execute(_FORGET_OFFER, rows)


def save_conversations(
    connection: Connection, writes: Sequence[SaveConversation], _at: datetime
) -> None:
    _SAVE_CONVERSATION.run(connection, *(values(w.conversation, _FIELDS) for w in writes))


def first(connection: Connection, address: Address) -> Chat | None:
    row = _AT.first(connection, {"of": address})
    return None if row is None else chat_of(row)


def _found(connection: Connection, address: Address, private: bool, at: datetime) -> Chat:
    """Creates a chat with its first conversation, unless it was just created or moved away."""
    moved = connection.execute(_MOVED_FROM, {"of": address}).first()
    if moved is not None:
        return chat_of(moved)
    opened = uuid4().hex
    row = {
        "address": address,
        "conversation": opened,
        "private": private,
        "fence": 0,
        "last_seq": 0,
        "title": "",
        "skill_lent": False,
        **values(ChatSettings(), _SWITCHES),
    }
    new = _ADD.run(connection, row)
    founded = first(connection, address)
    if founded is None:
        raise StoreFault(f"the chat at {address.key} was not stored")
    if new:
        fresh = Conversation(opened, founded.id, at)
        connection.execute(insert(conversation), values(fresh, _FIELDS))
    return founded
