"""The owners who decide cards that the asker may not approve, and the chats they see them in."""

import logging
from collections.abc import Mapping, Sequence

from bot.domain.talk.chat import Chat
from bot.domain.talk.errors import ChannelError
from bot.domain.talk.person import Person, Sender
from bot.domain.talk.reach import Reach
from bot.domain.text.names import cited_name, plain_name
from bot.domain.tools.tool import Preview
from bot.domain.value import frozen
from bot.ports.groups import Groups
from bot.ports.members import Members
from bot.ports.people import People

_LOG = logging.getLogger(__name__)

_NAMED = 3


@frozen
class AskedOwners:
    """The owners by name, and the private chats in which they are asked.

    Without `chats` they are asked in the chat itself. When not `reachable`, nobody is asked.
    """

    names: str
    chats: tuple[int, ...] = ()
    reachable: bool = True

    def asked(self, preview: Preview, chat: Chat) -> Preview:
        """Returns the preview of a card that these owners decide; others see it in `chat`."""
        # The card names the person who asks in a line of its own.
        elsewhere = bool(self.chats) and not chat.private
        told = preview.explained(f"Only an owner can approve this ({self.names})")
        where = f"It was asked in the group {cited_name(chat.title)}." if elsewhere else ""
        return told.explained(where)


@frozen
class Owners:
    _people: People
    _members: Members
    _groups: Mapping[str, Groups]

    async def asked_for(self, chat: Chat) -> AskedOwners:
        """Returns the owners, with their private chats unless an owner reads this chat."""
        owners = [(key, one) for key, one in await self._people.accounts() if one.is_owner]
        names = _named([person for _, person in owners])
        there = await self._there(chat, [key for key, _ in owners])
        if there:
            return AskedOwners(names)
        chats = tuple(c for c in await self._members.owner_chats() if c != chat.id)
        return AskedOwners(names, chats, reachable=bool(chats) or there is None)

    async def approve_for(self, person: Person, chat: Chat) -> bool:
        """Returns False where a person approves no change of their own and no owner is reached."""
        own = person.may_approve(person.id, Reach.FOLDER)
        return own or (await self.asked_for(chat)).reachable

    async def _there(self, chat: Chat, accounts: Sequence[str]) -> bool | None:
        """Returns True when an owner reads this chat of other people; None when nobody can tell."""
        groups = self._groups.get(chat.address.channel)
        if chat.private:
            return False
        if groups is None:
            return True
        told = True
        for key in accounts:
            channel, _, number = key.partition(":")
            if channel != chat.address.channel:
                continue
            try:
                if await groups.includes(chat.address, Sender(channel, number, key)):
                    return True
            except ChannelError as fault:
                _LOG.warning("whether an owner is in a group was not told: %s", fault)
                told = False
        return False if told else None


def _named(owners: Sequence[Person]) -> str:
    names = list(dict.fromkeys(plain_name(person.name) for person in owners))
    return " or ".join(names[:_NAMED]) or "nobody yet"
