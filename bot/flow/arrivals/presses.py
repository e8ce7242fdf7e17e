"""Takes presses of buttons: has them decided, and answers the person who pressed."""

from collections.abc import Mapping

from bot.domain.change import InboundState
from bot.domain.talk.message import Press
from bot.domain.value import frozen
from bot.flow.arrivals.acknowledging import Acknowledging
from bot.flow.arrivals.marks import marked
from bot.flow.commanding.choices import typed_for
from bot.flow.commanding.desks import ERASED, Desks, refused
from bot.flow.commands.dispatch import Commands
from bot.flow.queue.arrival import Arrival
from bot.ports.channel import Channel
from bot.ports.chats import Chats
from bot.ports.inbox import InboundRow
from bot.ports.journal import Journal
from bot.ports.people import People


@frozen
class Presses:
    """Brings each press to its desk, or to the command it chooses; answers once that is stored."""

    _channels: Mapping[str, Channel]
    _people: People
    _chats: Chats
    _commands: Commands
    _desks: Desks
    _journal: Journal
    _acknowledging: Acknowledging

    async def take(self, row: InboundRow, press: Press) -> None:
        person = await self._people.by_sender(press.sender)
        chat = await self._chats.at(press.address, private=press.private)
        typed = typed_for(press.data)
        if await self._desks.is_erased(press, chat.id):
            told = refused(ERASED)
        elif typed is not None and person is not None:
            message = press.typed(typed, row.received_at)
            told = await self._commands.choose(Arrival(row, message, chat, person))
        else:
            told = await self._desks.press(press, chat.id, person)
        # It holds the words of the message with the button, which /forget would not find there.
        await self._journal.commit(marked(row, InboundState.DONE, forget=True))
        channel = self._channels[row.channel]
        self._acknowledging.begin(channel, press, told, known=person is not None)


@frozen
class PresentWords:
    """Nobody is shown words that they could not change."""

    _people: People
    _chats: Chats
    _desks: Desks

    async def of(self, press: Press) -> str:
        """Returns the words as they are now; empty where a button changes none."""
        person = await self._people.by_sender(press.sender)
        there = await self._chats.within(press.address)
        here = next((chat for chat in there if chat.address == press.address), None)
        if person is None or here is None:
            return ""
        return await self._desks.present(press.data, here.id, person)
