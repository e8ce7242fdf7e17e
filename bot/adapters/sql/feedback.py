"""Opinions of people about answers."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Select, bindparam, delete, func, select

from bot.adapters.sql.columns import columns, names, values
from bot.adapters.sql.reads import Reads
from bot.adapters.sql.tables import feedback, outbox, sight
from bot.adapters.sql.upsert import Upsert, overwrite
from bot.domain.change import DropFeedback, SaveFeedback
from bot.domain.talk.feedback import ANSWER, Feedback

_OF = bindparam("of")
_FIELDS = names(Feedback)
_IS_ANSWER = func.substr(outbox.c.key, 1, len(ANSWER)) == ANSWER
_AT = (
    select(outbox.c.key)
    .join_from(sight, outbox, sight.c.outbox == outbox.c.id)
    .where(
        sight.c.chat.in_(bindparam("chats", expanding=True)),
        sight.c.message_id == bindparam("seen"),
        _IS_ANSWER,
    )
    .limit(1)
)
_NEWEST_ANSWER = (
    select(outbox.c.key)
    .where(outbox.c.chat == _OF, _IS_ANSWER)
    .order_by(outbox.c.id.desc())
    .limit(1)
)
_ROWS = select(*columns(feedback, Feedback))
_OLDEST_FIRST = (feedback.c.at, feedback.c.turn, feedback.c.person)
_ALL = _ROWS.order_by(*_OLDEST_FIRST)
_SINCE = _ALL.where(feedback.c.at >= bindparam("since"))
_NEWEST = _ROWS.order_by(feedback.c.at.desc(), feedback.c.turn).limit(bindparam("most"))
_OF_PERSON = _ALL.where(feedback.c.person == _OF)
_SAVE = Upsert(feedback, ["turn", "person"], overwrite("verdict", "at", "models", "chat"))
_DROP = delete(feedback).where(
    feedback.c.turn == bindparam("about"),
    feedback.c.person == bindparam("by"),
    feedback.c.verdict == bindparam("was", type_=feedback.c.verdict.type),
)


class SqlFeedback(Reads):
    async def answer_at(self, chats: Sequence[int], message_id: str) -> str | None:
        return await self._turn(_AT, chats=list(chats), seen=message_id)

    async def newest_answer(self, chat: int) -> str | None:
        return await self._turn(_NEWEST_ANSWER, of=chat)

    async def newest(self, limit: int) -> Sequence[Feedback]:
        return await self._read(_NEWEST, most=limit)

    async def since(self, at: datetime | None) -> Sequence[Feedback]:
        return await (self._read(_ALL) if at is None else self._read(_SINCE, since=at))

    async def of_person(self, person: int) -> Sequence[Feedback]:
        return await self._read(_OF_PERSON, of=person)

    async def _turn(self, wanted: Select[Any], **given: Any) -> str | None:
        key = await self._database.read(lambda c: c.execute(wanted, given).scalar())
        return None if key is None else str(key).removeprefix(ANSWER)

    async def _read(self, wanted: Select[Any], **given: Any) -> Sequence[Feedback]:
        return await self._all(Feedback, wanted, **given)


def save_feedback(connection: Connection, writes: Sequence[SaveFeedback], _at: datetime) -> None:
    _SAVE.run(connection, *(values(write.feedback, _FIELDS) for write in writes))


def drop_feedback(connection: Connection, writes: Sequence[DropFeedback], _at: datetime) -> None:
    for write in writes:
        given = {"about": write.turn, "by": write.person, "was": write.verdict}
        connection.execute(_DROP, given)
