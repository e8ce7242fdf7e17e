"""The person and the chat that a hook runs for."""

from collections.abc import Callable, Collection

from bot.domain.assignments.hook import OWNER, Hook
from bot.domain.talk.chat import Chat
from bot.domain.talk.message import Address
from bot.domain.talk.person import Person
from bot.domain.value import frozen
from bot.flow.groups.absence import Absence
from bot.ports.chats import Chats
from bot.ports.people import People


class Unplaced(Exception):
    """The person or the chat of a hook is not there; the text says why, for the operator."""


@frozen
class HookPlaces:
    """Finds person and chat anew for each call: access may have been taken back."""

    _people: People
    _chats: Chats
    _absence: Absence
    _channels: Callable[[], Collection[str]]

    async def of(self, hook: Hook) -> tuple[Person, Chat]:
        """Returns the person and the chat; raises Unplaced."""
        account, person = await self._person(hook)
        where = hook.chat if hook.group else account
        channel, _, name = where.partition(":")
        if channel not in self._channels():
            raise Unplaced(f"{channel} is not served")
        address = Address(channel, name)
        chat = await (self._group(address) if hook.group else self._chats.at(address, private=True))
        if await self._absence.of(chat.address, await self._chats.within(chat.address)):
            raise Unplaced(f"the bot is no longer in {where}")
        return person, chat

    async def _group(self, address: Address) -> Chat:
        found = await self._chats.within(address)
        chat = next((one for one in found if one.address == address and not one.private), None)
        if chat is None:
            raise Unplaced(f"there is no group {address.key} here")
        return chat

    async def _person(self, hook: Hook) -> tuple[str, Person]:
        for account, person in await self._people.accounts():
            served = account.partition(":")[0] in self._channels()
            if account == hook.person or (hook.person == OWNER and person.is_owner and served):
                return account, person
        raise Unplaced(f"nobody here has the account {hook.person}")
