"""Carries out commands for pages: as a button in a chat would, but no chat shows the answer."""

from collections.abc import Sequence

from bot.domain.talk.message import InboundMessage
from bot.domain.talk.person import Person, Sender
from bot.domain.talk.session import PAGE
from bot.domain.value import frozen
from bot.flow.commanding.choices import typed_for
from bot.flow.commanding.table import Invocation
from bot.flow.commands.dispatch import Commands
from bot.ports.chats import Chats
from bot.ports.clock import Clock
from bot.ports.page_commands import PageAnswer


@frozen
class CommandsOfPages:
    _commands: Commands
    _chats: Chats
    _clock: Clock

    async def answer(
        self, person: Person, chat: int, name: str, words: Sequence[str]
    ) -> PageAnswer:
        here = await self._chats.get(chat)
        said = " ".join((f"/{name}", *words))
        sender, now = Sender(PAGE, str(person.id), person.name), self._clock.now()
        message = InboundMessage(here.address, sender, "", said, now, private=here.private)
        # No row of the inbox has a number below 0, and no two commands have the same one.
        asked = Invocation(here, person, tuple(words), message, -int(now.timestamp() * 1_000_000))
        answer = await self._commands.told(name, asked)
        buttons = (button for row in answer.buttons for button in row)
        typed = ((button.label, typed_for(button.data)) for button in buttons)
        return PageAnswer(answer.text, tuple((told, text) for told, text in typed if text))
