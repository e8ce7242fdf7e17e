"""Tells people of messages that came while the bot was off, and that were too many to read."""

from bot.domain.change import Change, InboundState, MarkInbound, Show
from bot.domain.clock.zones import short_moment
from bot.domain.talk.message import LeftOut, Outbound, OutboundKind, Plain
from bot.domain.talk.person import Sender
from bot.domain.text.names import brief_name
from bot.domain.value import frozen
from bot.flow.groups.news import News
from bot.ports.chats import Chats
from bot.ports.inbox import InboundRow
from bot.ports.journal import Journal
from bot.ports.people import People

MOST_AN_HOUR = 10
"""Groups an hour of which owners are told; the log names all."""

_ZONE = "UTC"


@frozen
class LeftOutMessages:
    """Tells the person of a private chat, and owners about a group, once for each gap."""

    _people: People
    _chats: Chats
    _news: News
    _journal: Journal

    async def tell(self, row: InboundRow, left: LeftOut) -> None:
        """Stores the message about it with the mark of the update, so it is told once."""
        shows = await (self._to_person(row, left) if left.private else self._to_owners(left))
        done = MarkInbound(row.id, InboundState.DONE, (InboundState.NEW,), forget=True)
        await self._journal.commit(Change((done, *shows), durable=True))

    async def _to_person(self, row: InboundRow, left: LeftOut) -> list[Show]:
        there = Sender(left.address.channel, left.address.chat, "")
        if await self._people.by_sender(there) is None:
            return []
        chat = await self._chats.at(left.address, private=True)
        text = f"{_what(left, '')} If an older one matters, please send it again."
        return [Show(f"left:{row.id}", chat.id, Outbound(OutboundKind.NOTICE, (Plain(text),)))]

    async def _to_owners(self, left: LeftOut) -> list[Show]:
        if self._news.counted("left out") > MOST_AN_HOUR:
            return []
        where = f" in {brief_name(left.title or left.address.key)}"
        again = "Anyone who asked me something before that has to ask again."
        return await self._news.of(left.address, f"{_what(left, where)} {again}")


def _what(left: LeftOut, where: str) -> str:
    at = short_moment(left.before, _ZONE)
    return (
        f"More than {left.read:,} messages came{where} while I was off. "
        f"I read the newest of them, but none from before {at} ({_ZONE})."
    )
