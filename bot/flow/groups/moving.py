"""Moves the chat of a group that becomes a supergroup, and keeps its messages together."""

from collections.abc import Callable

from bot.domain.change import (
    AddAudit,
    Change,
    Fence,
    InboundState,
    JoinChats,
    MarkInbound,
    MoveChat,
    Write,
)
from bot.domain.talk.chat import Chat
from bot.domain.talk.message import Moved
from bot.domain.text.names import brief_name
from bot.domain.value import frozen
from bot.flow.groups.membership import MOVED
from bot.flow.groups.news import News
from bot.flow.reading.row_reader import RowReader
from bot.ports.chats import Chats
from bot.ports.clock import Clock
from bot.ports.inbox import InboundRow
from bot.ports.journal import Journal
from bot.ports.lanes import Lanes

_REASON = "a chat that moved"


@frozen
class Moving:
    """Moves chats to new addresses, and joins two chats that are one group.

    `announce` is called with each chat whose owed messages have a new address.
    """

    _rows: RowReader
    _chats: Chats
    _journal: Journal
    _news: News
    _lanes: Lanes
    _clock: Clock
    _announce: Callable[[int], None]

    async def follow(self, row: InboundRow, moved: Moved) -> None:
        """Moves a chat at once, or lets the update wait if two chats have to be joined.

        The lane of the old chat joins them. Two chats exist when messages of the supergroup came
        before the news of the move: Telegram sends that news in both groups, in any order, and
        sometimes late or never.
        """
        old, new = await self._pair(moved)
        if old is None or new is None:
            await self._carry_out(row, InboundState.NEW, MoveChat(moved.old, moved.new), old, None)
            return
        wait = MarkInbound(
            row.id, InboundState.WAITING, (InboundState.NEW,), old.id, reason=_REASON
        )
        await self._journal.commit(Change((wait,), durable=True))
        self._lanes.wake(old.id)

    async def join(self, row: InboundRow, fence: Fence) -> None:
        """Joins two chats in the lane of the old one, which continues the work of both."""
        moved = self._rows.read(row)
        if not isinstance(moved, Moved):
            done = MarkInbound(row.id, InboundState.DEAD, (InboundState.WAITING,), reason="no move")
            await self._journal.commit(Change((done,), fence))
            return
        old, new = await self._pair(moved)
        joined = JoinChats(moved.old, moved.new)
        await self._carry_out(row, InboundState.WAITING, joined, old, fence)
        if new is not None:
            self._lanes.interrupt(new.id)

    async def _pair(self, moved: Moved) -> tuple[Chat | None, Chat | None]:
        """Returns the chats that have the old and the new address now."""
        near = (*await self._chats.within(moved.old), *await self._chats.within(moved.new))
        at = {chat.address: chat for chat in near}
        return at.get(moved.old), at.get(moved.new)

    async def _carry_out(
        self,
        row: InboundRow,
        state: InboundState,
        move: MoveChat | JoinChats,
        chat: Chat | None,
        fence: Fence | None,
    ) -> None:
        writes: list[Write] = [MarkInbound(row.id, InboundState.DONE, (state,), reason=_REASON)]
        if chat is not None:
            writes.append(move)
            subject, details = move.new.key, {"from": move.old.key}
            writes.append(AddAudit(self._clock.now(), chat.id, None, MOVED, subject, details))
            group = f"The group {brief_name(chat.title)}" if chat.title else "A group of mine"
            text = f"{group} is a supergroup now. I am in it as before."
            writes.extend(await self._news.instead(move.new, text))
        await self._journal.commit(Change(tuple(writes), fence, durable=True))
        if chat is not None:
            self._announce(chat.id)
