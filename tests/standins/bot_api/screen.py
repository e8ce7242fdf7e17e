"""What a chat's screen shows at one moment."""

from dataclasses import dataclass

from tests.standins.bot_api.entity import Entity
from tests.standins.bot_api.keyboard import Button
from tests.standins.bot_api.rich_shown import RichContent
from tests.standins.bot_api.world import Chat, Draft, Message, StoredFile


@dataclass(frozen=True)
class ShownMessage:
    """A visible message; `text` is the caption where there is a file.

    `silent` came without a sound, `preview` shows what is behind a link, `asks` is the hint of the
    reply that it opens.
    """

    id: int
    chat_id: int
    from_bot: bool
    sender_id: int
    text: str
    entities: tuple[Entity, ...]
    buttons: tuple[tuple[Button, ...], ...]
    file: StoredFile | None
    edited: bool
    reply_to: int | None
    thread_id: int | None
    reactions: tuple[str, ...]
    silent: bool
    preview: bool
    asks: str
    rich: RichContent | None = None

    @property
    def labels(self) -> list[str]:
        return [button.text for row in self.buttons for button in row]


@dataclass(frozen=True)
class Screen:
    """Visible messages in their order, drafts still shown, and the bot's chat action."""

    messages: tuple[ShownMessage, ...]
    drafts: tuple[Draft, ...]
    action: str | None

    @property
    def texts(self) -> list[str]:
        return [message.text for message in self.messages]

    @property
    def from_bot(self) -> list[ShownMessage]:
        return [message for message in self.messages if message.from_bot]

    @property
    def draft(self) -> str | None:
        """Text of the draft that changed last; None when none is shown."""
        return self.drafts[-1].content.text if self.drafts else None

    @property
    def typing(self) -> bool:
        return self.action == "typing"


def show(chat: Chat, now: float) -> Screen:
    messages = tuple(_show_message(chat.messages[number]) for number in sorted(chat.messages))
    drafts = tuple(draft for draft in chat.drafts.values() if draft.until > now)
    action = chat.action[0] if chat.action and chat.action[1] > now else None
    return Screen(messages, drafts, action)


def _show_message(message: Message) -> ShownMessage:
    return ShownMessage(
        id=message.id,
        chat_id=message.chat_id,
        from_bot=message.sender.is_bot and message.service is None,
        sender_id=message.sender.id,
        text=message.content.text,
        entities=message.content.entities,
        buttons=message.keyboard,
        file=message.file,
        edited=message.edited_at is not None,
        reply_to=message.reply_to.id if message.reply_to else None,
        thread_id=message.thread_id,
        reactions=tuple(emoji for left in message.reactions.values() for emoji in left),
        silent=message.silent,
        preview=message.preview,
        asks=message.asks,
        rich=message.rich,
    )
