"""Asks who put thumbs on answers while nobody listened."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from bot.adapters.discord.api import DiscordApi
from bot.adapters.discord.fields import Fields
from bot.adapters.discord.gateway import Event
from bot.adapters.discord.reactions import ADDED
from bot.domain.talk.errors import ChannelError, ContentRefused, RecipientGone
from bot.domain.talk.feedback import Opinion, opinion_in

_REACTION = "/channels/{channel_id}/messages/{message_id}/reactions/{emoji}"
_MOST_PEOPLE = 100
_MOST_CALLS = 100
"""Calls that one gap is worth; each names the people of one emoji below one answer."""


class Thumbs:
    """Finds the thumbs below the bot's messages of one gap.

    Somebody whose thumbs point both ways is passed over: which came last is not told. A thumb that
    was taken away leaves nothing to find.
    """

    def __init__(self, api: DiscordApi) -> None:
        self._api = api
        self._left = _MOST_CALLS

    async def below(self, messages: Iterable[Fields], where: Mapping[str, Any]) -> Sequence[Event]:
        """Returns an event for each person and message; `where` is what each event says besides."""
        found: list[Event] = []
        for message in messages:
            if message.inner("author").id("id") == self._api.own_id:
                found += await self._of(message, where)
        return found

    async def _of(self, message: Fields, where: Mapping[str, Any]) -> list[Event]:
        people: dict[str, dict[str, Any]] = {}
        thumbs: defaultdict[str, dict[Opinion, str]] = defaultdict(dict)
        for emoji in _emoji_on(message):
            verdict = opinion_in(emoji)
            if verdict is None or self._left == 0:
                continue
            self._left -= 1
            for user in await self._who(message, emoji):
                number = Fields(user).id("id") or ""
                people[number] = user
                thumbs[number][verdict] = emoji
        return [
            _event(message, people[number], emoji, where)
            for number, one in thumbs.items()
            if number and len(one) == 1
            for emoji in one.values()
        ]

    async def _who(self, message: Fields, emoji: str) -> list[dict[str, Any]]:
        names = {
            "channel_id": message.id("channel_id") or "",
            "message_id": message.id("id") or "",
            "emoji": emoji,
        }
        query = {"limit": str(_MOST_PEOPLE)}
        try:
            told = await self._api.call("GET", _REACTION, names=names, query=query)
        except (ContentRefused, RecipientGone):
            return []
        except ChannelError:
            # The messages that were missed count for more than thumbs.
            self._left = 0
            return []
        users = told if isinstance(told, list) else []
        return [one for one in users if isinstance(one, dict) and not Fields(one).flag("bot")]


def _emoji_on(message: Fields) -> list[str]:
    """Returns the emoji below a message; servers' own emoji have a number."""
    found = (one.inner("emoji") for one in message.items("reactions"))
    return [one.text("name") or "" for one in found if one.id("id") is None]


def _event(message: Fields, user: Mapping[str, Any], emoji: str, where: Mapping[str, Any]) -> Event:
    told = {
        "user_id": user["id"],
        "channel_id": message.id("channel_id"),
        "message_id": message.id("id"),
        "message_author_id": message.inner("author").id("id"),
        "member": {"user": user},
        "emoji": {"id": None, "name": emoji},
        **where,
    }
    return Event(ADDED, None, told)
