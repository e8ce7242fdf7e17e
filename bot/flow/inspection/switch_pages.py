"""The switches of a person's private chats, for a page on which they are turned."""

from collections.abc import Sequence

from bot.domain.talk.chat import Chat
from bot.domain.talk.message import Address
from bot.domain.talk.person import AT_THE_MACHINE, Person
from bot.domain.talk.session import PAGE
from bot.domain.value import frozen
from bot.flow.commanding.switches import SWITCHES, Switch
from bot.flow.commanding.table import Topic
from bot.flow.inspection.places import titled_place
from bot.flow.models.choosing import Choosing
from bot.flow.world import StorePorts, World
from bot.ports.settings_page import ChatSwitches, SwitchLine

_MOST_CHATS = 20


@frozen
class SwitchInspection:
    """Shows people the switches of their own chats."""

    _store: StorePorts
    _world: World
    _choosing: Choosing

    async def switches(self, reader: Person) -> Sequence[ChatSwitches]:
        found: list[Chat] = []
        for key, person in await self._store.people.accounts():
            served = key.partition(":")[0] in self._world.channels
            if person.id == reader.id and served:
                there = await self._store.chats.within(Address.from_key(key))
                found += [chat for chat in there if chat.private and _is_shown(chat)]
        return tuple([await self._told(chat) for chat in found[:_MOST_CHATS]])

    async def _told(self, chat: Chat) -> ChatSwitches:
        known = (switch for switch in SWITCHES if _means_something(switch, chat))
        lines = tuple(_line(one, chat) for one in known)
        model = self._choosing.model(chat.settings.model)
        place = await titled_place(self._store.chats, chat, self._world.conceal)
        return ChatSwitches(chat.id, place, model, lines)


def _is_shown(chat: Chat) -> bool:
    """Returns False for a terminal, and for the further conversations of the page."""
    channel, thread = chat.address.channel, chat.address.thread
    return channel != AT_THE_MACHINE and (channel != PAGE or thread is None)


def _means_something(switch: Switch, chat: Chat) -> bool:
    on_page = chat.address.channel == PAGE
    return switch.topic is Topic.SETTINGS and not (switch.away and on_page)


def _line(switch: Switch, chat: Chat) -> SwitchLine:
    value = getattr(chat.settings, switch.field)
    [now] = [one.word for one in switch.positions if one.value == value]
    others = tuple(one.word for one in switch.positions if one.word != now)
    return SwitchLine(switch.name, switch.summary, now, others)
