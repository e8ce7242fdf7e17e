"""Writes of chats and their conversations."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any, TypeAlias

from bot.domain.talk.chat import Chat, ChatSettings, Conversation
from bot.domain.talk.message import Address
from bot.domain.value import frozen


@frozen
class SaveSettings:
    """Stores the switches in which `settings` differ from those that `chat` was read with.

    The others stay as somebody else may have set them meanwhile. Spoken answers that are turned
    off also end what is owed of them.
    """

    chat: Chat
    settings: ChatSettings

    @property
    def changed(self) -> Mapping[str, Any]:
        """Returns the switches that differ, by their names."""
        now, before = asdict(self.settings), asdict(self.chat.settings)
        return {name: value for name, value in now.items() if value != before[name]}


@frozen
class OpenConversation:
    """Makes a conversation the open one of a chat."""

    chat: int
    conversation: str


@frozen
class NameChat:
    """Stores the title people see; nothing else of the chat changes."""

    chat: int
    title: str


@frozen
class ChooseSkill:
    """Sets the skill of a chat; None ends it.

    A `lent` skill is the model's choice and never replaces one that a person chose.
    """

    chat: int
    skill: str | None
    lent: bool = False


@frozen
class SetVoice:
    """Turns spoken answers of a chat on or off; off also ends what is owed of them."""

    chat: int
    on: bool


@frozen
class NoteOffer:
    """Notes that a card of the chat offers what this edition of a skill asks for."""

    chat: int
    under: str


@frozen
class EndGrants:
    """Removes the rules of a chat that skills asked for, but for those of the edition `keep`.

    What any other skill asks for is offered again when it comes into use.
    """

    chat: int
    keep: str | None = None


@frozen
class MoveChat:
    """Gives a chat another address; does nothing when that address is taken.

    The bot cannot reach messages at the old address: open cards and messages that were not shown
    yet are sent anew, as replies to nothing.
    """

    old: Address
    new: Address


@frozen
class JoinChats:
    """Moves a chat to the address of another one, whose log and rows are added to its own.

    Only the owner of the moving chat may do so, while it has no unfinished turn. The settings of
    the moving chat remain.
    """

    old: Address
    new: Address


@frozen
class SaveConversation:
    """Inserts or updates a conversation."""

    conversation: Conversation


ChatWrite: TypeAlias = (
    SaveSettings
    | OpenConversation
    | NameChat
    | ChooseSkill
    | SetVoice
    | NoteOffer
    | EndGrants
    | MoveChat
    | JoinChats
    | SaveConversation
)
