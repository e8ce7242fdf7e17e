"""The conversations of a list, put together by the time of their newest message."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from itertools import groupby

from bot.adapters.web.shown import ListedChat
from bot.domain.value import frozen


@frozen
class ChatGroup:
    """Conversations of one time."""

    name: str
    chats: Sequence[ListedChat]


def grouped(chats: Sequence[ListedChat]) -> Sequence[ChatGroup]:
    """Returns the conversations in groups, in the order in which they come."""
    return [ChatGroup(name, list(group)) for name, group in groupby(chats, _time_of)]


def _time_of(chat: ListedChat) -> str:
    if chat.at is None:
        return "New"
    now = datetime.now(chat.at.tzinfo)
    if chat.at.date() >= now.date():
        return "Today"
    if chat.at.date() == now.date() - timedelta(days=1):
        return "Yesterday"
    if (chat.at.year, chat.at.month) == (now.year, now.month):
        return f"Earlier in {now:%B}"
    return f"{chat.at:%B}" if chat.at.year == now.year else f"{chat.at:%B %Y}"
