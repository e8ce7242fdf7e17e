"""Carries out commands for pages: as a button in a chat would, but no chat shows the answer."""

from collections.abc import Sequence

from bot.domain.talk.message import InboundMessage
from bot.domain.talk.person import Person, Sender
from bot.domain.talk.session import PAGE
from bot.domain.value import frozen
from bot.flow.commanding.table import Invocation
from bot.flow.commands.dispatch import Commands
from bot.ports.chats import Chats
from bot.ports.clock import Clock

_NO_ROW = 0


@frozen
class CommandsOfPages:
    _commands: Commands
    _chats: Chats
    _clock: Clock

    async def carry_out(self, person: Person, chat: int, name: str, words: Sequence[str]) -> str:
        here = await self._chats.get(chat)
        said = " ".join((f"/{name}", *words))
        sender, now = Sender(PAGE, str(person.id), person.name), self._clock.now()
        message = InboundMessage(here.address, sender, "", said, now, private=here.private)
        asked = Invocation(here, person, tuple(words), message, _NO_ROW)
        return await self._commands.told(name, asked)
