"""Reads one message of Telegram, with the words it quotes or forwards."""

from datetime import UTC, datetime

from bot.adapters.telegram.addresses import CHANNEL, address_of, is_private
from bot.adapters.telegram.addressing import Own, Spoken, spoken
from bot.adapters.telegram.attachments import attachments_of
from bot.adapters.telegram.authorship import foreign_content, is_composed
from bot.adapters.telegram.fields import Fields
from bot.adapters.telegram.rich.words import words_of
from bot.adapters.telegram.senders import LONGEST_NAME, name_of, sender_of, speaker_of, title_of
from bot.adapters.telegram.wordless import in_words
from bot.domain.talk.message import (
    Address,
    Cut,
    Ignored,
    Inbound,
    InboundMessage,
    Moved,
    Quote,
    Unreadable,
)
from bot.domain.talk.person import Sender
from bot.domain.value import frozen

_LAST_SECOND = 253_402_300_799
_CONTENT = ("text", "caption")
_LONGEST_TEXT = 4096
_LONGEST_CODE = 20
_OWN_VOICE = "[your answer as a voice note]"
_NEARLY = 256
"""Characters by which a piece is shorter if its app looked for the end of a word or line."""


@frozen
class _Head:
    """The parts that every message has which can be answered."""

    address: Address
    sender: Sender
    message_id: str
    sent_at: datetime


def read_message(fields: Fields | None, own: Own) -> Inbound:
    if fields is None:
        return Unreadable("a message that is no object")
    private, anonymous = is_private(fields), _is_anonymous(fields)
    if private and anonymous:
        return Ignored("written in the name of a chat")
    if (moved := _moved(fields)) is not None:
        return moved
    head = _head(fields)
    if head is None:
        return Unreadable("a message without a usable chat, sender, number or date")
    if _is_bot(fields) and not anonymous:
        return Ignored("written by a bot")
    text = _text(fields)
    if text is None and not attachments_of(fields):
        return Ignored("a message without content")
    said = Spoken(text or "", True) if private else spoken(fields, text or "", own)
    if said.elsewhere:
        return Ignored("a command for another bot")
    return _read(fields, head, said, own)


def _head(message: Fields) -> _Head | None:
    address, sender = address_of(message), speaker_of(message)
    message_id, sent_at = message.id("message_id"), _time(message)
    if address is None or sender is None or message_id is None or sent_at is None:
        return None
    return _Head(address, sender, message_id, sent_at)


def _read(message: Fields, head: _Head, said: Spoken, own: Own) -> InboundMessage:
    private, anonymous = is_private(message), _is_anonymous(message)
    return InboundMessage(
        address=head.address,
        sender=head.sender,
        message_id=head.message_id,
        text=said.text,
        sent_at=head.sent_at,
        private=private,
        quote=_quote(message, bot=own.id, sender=head.sender.user_id),
        forwarded_from=_forwarded_from(message),
        echoes=_origin_number(message) == own.id,
        attachments=attachments_of(message),
        addressed=said.addressed and not anonymous,
        anonymous=anonymous,
        title="" if private else title_of(message.inner("chat")),
        number=max(0, message.number("message_id") or 0),
        album=message.text("media_group_id") or "",
        cut=_cut(message.text("text") or ""),
        foreign=foreign_content(message),
        language=_language(message),
        composed=is_composed(message),
    )


def _language(message: Fields) -> str:
    return ((message.inner("from") or Fields(None)).text("language_code") or "")[:_LONGEST_CODE]


def _cut(text: str) -> Cut:
    """Tells from its length if an app may have cut the text.

    Apps cut a text that is too long for a message, some at a paragraph of its second half."""
    # The platform counts code points, most apps UTF-16 units: a sharp cut is at either bound.
    length = max(len(text), min(_LONGEST_TEXT, len(text.encode("utf-16-le")) // 2))
    if length >= _LONGEST_TEXT:
        return Cut.SHARP
    if length >= _LONGEST_TEXT - _NEARLY:
        return Cut.LIKELY
    return Cut.PERHAPS if length > _LONGEST_TEXT // 2 else Cut.NO


def _moved(message: Fields) -> Moved | None:
    """Reads the move of a basic group to a supergroup, told in the old chat and in the new."""
    here = address_of(message)
    new, old = message.id("migrate_to_chat_id"), message.id("migrate_from_chat_id")
    if here is None or (new is None and old is None):
        return None
    there = Address(CHANNEL, new or old or "")
    return Moved(here, there) if new is not None else Moved(there, here)


def _is_anonymous(message: Fields) -> bool:
    """Tells if it is written in the name of a chat, which hides the person."""
    return "sender_chat" in message


def _is_bot(fields: Fields) -> bool:
    return (fields.inner("from") or Fields(None)).flag("is_bot")


def _time(message: Fields) -> datetime | None:
    seconds = message.number("date")
    if seconds is None or not 0 <= seconds <= _LAST_SECOND:
        return None
    return datetime.fromtimestamp(seconds, UTC)


def _text(message: Fields) -> str | None:
    """Returns the words of a message, with words for content that has none."""
    written = (text for name in _CONTENT if (text := message.text(name)) is not None)
    rich = words_of(message.value("rich_message")) or None
    told = [text for text in (next(written, rich), in_words(message)) if text is not None]
    return "\n\n".join(told) if told else None


def _quote(message: Fields, *, bot: str, sender: str) -> Quote | None:
    reply, cited = message.inner("reply_to_message"), message.inner("quote")
    cited_text = None if cited is None else cited.text("text")
    if reply is not None and "forum_topic_created" not in reply:
        author = sender_of(reply)
        if author is not None and author.user_id == bot and "voice" in reply:
            # It says what the answer above it says, which the model has read already.
            return Quote(cited_text or _OWN_VOICE, author.name, own=True, message_id=_id(reply))
        return _reply_quote(reply, cited_text, {bot, sender})
    if "external_reply" in message:
        external = message.inner("external_reply") or Fields(None)
        origin = _origin_name(external.inner("origin"))
        return Quote(cited_text or "", origin, own=False, attachments=attachments_of(external))
    return None


def _reply_quote(reply: Fields, cited: str | None, own: set[str]) -> Quote:
    author = sender_of(reply)
    mine = author is not None and author.user_id in own
    # A forwarded message stands under the forwarder's name, but the words are another's.
    forwarded = "forward_origin" in reply or "sender_chat" in reply
    return Quote(
        text=cited if cited is not None else _text(reply) or "",
        author=author.name if author else "someone",
        own=mine and not forwarded,
        message_id=_id(reply),
        account=_quoted_account(reply),
        attachments=attachments_of(reply),
        foreign=foreign_content(reply),
    )


def _id(message: Fields) -> str | None:
    return message.id("message_id")


def _quoted_account(reply: Fields) -> str | None:
    """Returns the account that wrote the quoted words; None for bots, chats and hidden people."""
    user = reply.inner("from")
    if "forward_origin" in reply:
        user = (reply.inner("forward_origin") or Fields(None)).inner("sender_user")
    if user is None or user.flag("is_bot") or "sender_chat" in reply or is_composed(reply):
        return None
    number = user.id("id")
    return None if number is None else Sender(CHANNEL, number, "").key


def _origin_number(message: Fields) -> str | None:
    user = (message.inner("forward_origin") or Fields(None)).inner("sender_user")
    return None if user is None else user.id("id")


def _forwarded_from(message: Fields) -> str | None:
    """Returns the writer of a forwarded message; an unreadable origin still counts as foreign."""
    if "forward_origin" in message:
        return _origin_name(message.inner("forward_origin"))
    if message.flag("is_automatic_forward") or "forward_date" in message:
        return "an unknown source"
    return None


def _origin_name(origin: Fields | None) -> str:
    if origin is None:
        return "an unknown source"
    for kind in ("sender_user", "sender_chat", "chat"):
        if (who := origin.inner(kind)) is not None:
            name = name_of(who) or " ".join((who.text("title") or "").split())
            return name[:LONGEST_NAME] or "an unknown source"
    hidden = " ".join((origin.text("sender_user_name") or "").split())
    return hidden[:LONGEST_NAME] or "an unknown source"
