"""The switches of chats on a page, and a setting of the program as owners see it."""

from collections.abc import Sequence
from typing import Protocol

from bot.domain.talk.person import Person
from bot.domain.value import frozen


@frozen
class SettingRow:
    """A setting of the program."""

    name: str
    value: str
    """Its value; of a secret only that it is set."""
    origin: str
    """The default, the environment, or the file that sets it."""
    sentence: str


@frozen
class SwitchLine:
    """A switch of a chat; a press of one of its words turns it."""

    name: str
    """The name of its command."""
    summary: str
    now: str
    others: tuple[str, ...]
    """The words of its other positions."""


@frozen
class ChatSwitches:
    chat: int
    name: str
    model: str
    switches: tuple[SwitchLine, ...]


class SwitchPages(Protocol):
    async def switches(self, reader: Person) -> Sequence[ChatSwitches]:
        """Returns the private chats of the reader with the switches that mean something there."""
        ...
