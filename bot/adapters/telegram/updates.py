"""Reads a raw update; whatever stands in it, the answer is a value."""

import json
from datetime import UTC, datetime

from bot.adapters.telegram.addressing import Own, Spoken, spoken
from bot.adapters.telegram.attachments import attachments_of
from bot.adapters.telegram.fields import Fields, clean
from bot.adapters.telegram.wordless import in_words
from bot.domain.message import (
    Address,
    Ignored,
    Inbound,
    InboundMessage,
    Moved,
    Press,
    Quote,
    Unreadable,
)
from bot.domain.person import Sender

CHANNEL = "telegram"
_LONGEST_NAME = 128
_LAST_SECOND = 253_402_300_799
_CONTENT = ("text", "caption")


def parse_update(body: str, own: Own) -> Inbound:
    """Reads a stored update; `own` tells which words are the bot's, and which are said to it."""
    try:
        update = json.loads(body)
    except (ValueError, RecursionError):
        return Unreadable("not JSON that can be read")
    if not isinstance(update, dict):
        return Unreadable("not a JSON object")
    fields = Fields(update)
    if "message" in fields:
        return _message(fields.inner("message"), own, edited=False)
    if "edited_message" in fields:
        return _message(fields.inner("edited_message"), own, edited=True)
    if "callback_query" in fields:
        return _press(fields.inner("callback_query"))
    kinds = sorted(clean(str(name))[:64] for name in update if name != "update_id")
    return Ignored(f"an update of another kind: {', '.join(kinds[:3]) or 'none'}")


def _message(fields: Fields | None, own: Own, *, edited: bool) -> Inbound:
    if fields is None:
        return Unreadable("a message that is no object")
    private, anonymous = _is_private(fields), "sender_chat" in fields
    if private and anonymous:
        return Ignored("written in the name of a chat")
    if (moved := _moved(fields)) is not None:
        return moved
    address, sender = _address(fields), _speaker(fields)
    message_id, sent_at = fields.id("message_id"), _time(fields)
    if address is None or sender is None or message_id is None or sent_at is None:
        return Unreadable("a message without a usable chat, sender, number or date")
    if _is_bot(fields) and not anonymous:
        return Ignored("written by a bot")
    attachments = attachments_of(fields)
    text = _text(fields)
    if text is None and not attachments:
        return Ignored("a message without content")
    said = Spoken(text or "", True) if private else spoken(fields, text or "", own)
    if said.elsewhere:
        return Ignored("a command for another bot")
    return InboundMessage(
        address=address,
        sender=sender,
        message_id=message_id,
        text=said.text,
        sent_at=sent_at,
        private=private,
        quote=_quote(fields, own={own.id, sender.user_id}),
        forwarded_from=_forwarded_from(fields),
        attachments=attachments,
        edited=edited,
        addressed=said.addressed and not anonymous,
        anonymous=anonymous,
        title="" if private else _title(fields.inner("chat")),
    )


def _moved(message: Fields) -> Moved | None:
    """A basic group that became a supergroup tells so twice: in the old chat and in the new."""
    here = _address(message)
    new, old = message.id("migrate_to_chat_id"), message.id("migrate_from_chat_id")
    if here is None or (new is None and old is None):
        return None
    there = Address(CHANNEL, new or old or "")
    return Moved(here, there) if new is not None else Moved(there, here)


def _speaker(message: Fields) -> Sender | None:
    """The sender, or the chat in whose name it is written: an anonymous admin, a channel."""
    chat = message.inner("sender_chat")
    if chat is None:
        return _sender(message)
    number = chat.id("id")
    return None if number is None else Sender(CHANNEL, number, _title(chat) or number)


def _title(chat: Fields | None) -> str:
    """The name of a chat, on one line."""
    shown = " ".join(((chat or Fields(None)).text("title") or "").split())
    return shown[:_LONGEST_NAME]


def _press(fields: Fields | None) -> Inbound:
    if fields is None:
        return Unreadable("a press that is no object")
    sender, handle, card = _sender(fields), fields.text("id"), fields.inner("message")
    if card is None and "inline_message_id" in fields:
        return Ignored("a press on a message the bot did not send")
    address = None if card is None else _address(card)
    private = card is not None and _is_private(card)
    if sender is None or not handle or address is None or card is None:
        return Unreadable("a press without a usable sender, id or chat")
    return Press(address, sender, fields.text("data") or "", handle, card.id("message_id"), private)


def _address(message: Fields) -> Address | None:
    chat = (message.inner("chat") or Fields(None)).id("id")
    if chat is None:
        return None
    thread = message.id("message_thread_id") if message.flag("is_topic_message") else None
    return Address(CHANNEL, chat, thread)


def _is_private(message: Fields) -> bool:
    return (message.inner("chat") or Fields(None)).text("type") == "private"


def _sender(fields: Fields) -> Sender | None:
    user = fields.inner("from")
    user_id = None if user is None else user.id("id")
    if user is None or user_id is None:
        return None
    return Sender(CHANNEL, user_id, _name(user) or user_id)


def _is_bot(fields: Fields) -> bool:
    return (fields.inner("from") or Fields(None)).flag("is_bot")


def _time(message: Fields) -> datetime | None:
    seconds = message.number("date")
    if seconds is None or not 0 <= seconds <= _LAST_SECOND:
        return None
    return datetime.fromtimestamp(seconds, UTC)


def _text(message: Fields) -> str | None:
    """The words of a message; what stands there in place of words is told by some."""
    written = (text for name in _CONTENT if (text := message.text(name)) is not None)
    told = [text for text in (next(written, None), in_words(message)) if text is not None]
    return "\n\n".join(told) if told else None


def _name(user: Fields) -> str:
    """The name people see, on one line."""
    parts = (user.text("first_name"), user.text("last_name"))
    shown = " ".join(" ".join(filter(None, parts)).split()) or user.text("username") or ""
    return shown[:_LONGEST_NAME]


def _quote(message: Fields, own: set[str]) -> Quote | None:
    reply, cited = message.inner("reply_to_message"), message.inner("quote")
    cited_text = None if cited is None else cited.text("text")
    if reply is not None and "forum_topic_created" not in reply:
        return _reply_quote(reply, cited_text, own)
    if "external_reply" in message:
        external = message.inner("external_reply") or Fields(None)
        return Quote(cited_text or "", _origin_name(external.inner("origin")), own=False)
    return None


def _reply_quote(reply: Fields, cited: str | None, own: set[str]) -> Quote:
    author = _sender(reply)
    mine = author is not None and author.user_id in own
    # A forwarded message stands under the forwarder's name, but the words are another's.
    foreign = "forward_origin" in reply or "sender_chat" in reply
    return Quote(
        text=cited if cited is not None else _text(reply) or "",
        author=author.name if author else "someone",
        own=mine and not foreign,
        message_id=reply.id("message_id"),
        account=_quoted_account(reply),
    )


def _quoted_account(reply: Fields) -> str | None:
    """Whose words are quoted, by the platform's own number; None for bots, chats and the hidden."""
    user = reply.inner("from")
    if "forward_origin" in reply:
        user = (reply.inner("forward_origin") or Fields(None)).inner("sender_user")
    if user is None or user.flag("is_bot") or "sender_chat" in reply:
        return None
    number = user.id("id")
    return None if number is None else Sender(CHANNEL, number, "").key


def _forwarded_from(message: Fields) -> str | None:
    """Who wrote a forwarded message; unreadable origins still count as foreign."""
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
            name = _name(who) or " ".join((who.text("title") or "").split())
            return name[:_LONGEST_NAME] or "an unknown source"
    hidden = " ".join((origin.text("sender_user_name") or "").split())
    return hidden[:_LONGEST_NAME] or "an unknown source"
