"""Reads one message of Discord, with the words it answers or forwards."""

from datetime import UTC, datetime
from pathlib import PurePath
from typing import Literal, TypeAlias

from bot.adapters.discord.addresses import CHANNEL, sender_of
from bot.adapters.discord.fields import Fields
from bot.adapters.discord.spoken import Own, spoken
from bot.adapters.discord.wordless import foreign_content, in_words
from bot.domain.talk.message import (
    Address,
    Attachment,
    Ignored,
    Inbound,
    InboundMessage,
    Quote,
    Unreadable,
)
from bot.domain.value import frozen

_WRITTEN = (0, 19)
"""Types of messages that a person wrote: one, and one that answers another."""

_FORWARD = 1
_EPOCH = 1_420_070_400
_OWN_VOICE = "[your answer as a voice note]"


@frozen
class Where:
    """The place of a message: its address, its channel on Discord, and the server's name for it."""

    address: Address
    channel: str
    title: str = ""

    @property
    def private(self) -> bool:
        return not self.address.chat.startswith("-")


def read_message(message: Fields, where: Where, own: Own) -> Inbound:
    """Returns a message that a person wrote."""
    author = message.inner("author")
    sender, number = sender_of(author, message.inner("member")), message.id("id")
    if sender is None or number is None:
        return Unreadable("a message without a usable sender or number")
    if author.flag("bot") or "webhook_id" in message:
        return Ignored("written by a bot")
    if message.number("type") not in _WRITTEN:
        return Ignored("a message of the system")
    forward = _forwarded(message)
    body = message if forward is None else forward
    said = spoken(body, own)
    quote = None if forward is not None else _quote(message, own, sender.user_id, where.channel)
    attachments = attachments_of(body, where.channel, number)
    text = "\n\n".join(part for part in (said.text, in_words(body)) if part)
    if not text and not attachments:
        return Ignored("a message without content")
    return InboundMessage(
        address=where.address,
        sender=sender,
        message_id=number,
        number=int(number),
        text=text,
        sent_at=time_of(number),
        private=where.private,
        quote=quote,
        forwarded_from=None if forward is None else "another chat",
        # A forward does not tell who wrote it.
        echoes=forward is not None,
        attachments=attachments,
        addressed=where.private or said.addressed or _answers(message, own),
        title=where.title,
        foreign=foreign_content(body),
        named=said.named,
    )


def time_of(number: str) -> datetime:
    """Returns the time that every number of Discord holds."""
    return datetime.fromtimestamp((int(number) >> 22) / 1000 + _EPOCH, UTC)


def number_at(at: datetime) -> str:
    """Returns the smallest number of a message that was written at a time."""
    return str(max(int((at.timestamp() - _EPOCH) * 1000), 0) << 22)


def _forwarded(message: Fields) -> Fields | None:
    if message.inner("message_reference").number("type") != _FORWARD:
        return None
    return next((one.inner("message") for one in message.items("message_snapshots")), Fields(None))


def _answers(message: Fields, own: Own) -> bool:
    """Tells if it answers a message of the bot."""
    return message.inner("referenced_message").inner("author").id("id") == own.id


def _quote(message: Fields, own: Own, sender: str, channel: str) -> Quote | None:
    answered = message.inner("referenced_message")
    if "referenced_message" not in message:
        return None
    return quote_of(answered, own, sender, channel)


def quote_of(answered: Fields, own: Own, sender: str, channel: str) -> Quote:
    """Returns a message as the one that is answered."""
    author = answered.inner("author")
    number = answered.id("id")
    who = sender_of(author, Fields(None))
    forward = _forwarded(answered)
    body = answered if forward is None else forward
    mine = who is not None and who.user_id in (own.id, sender) and forward is None
    attachments = attachments_of(body, channel, number or "")
    text = "\n\n".join(part for part in (spoken(body, own).text, in_words(body)) if part)
    voiced = who is not None and who.user_id == own.id and any(a.recorded for a in attachments)
    return Quote(
        text=text or (_OWN_VOICE if voiced else ""),
        author=who.name if who is not None else "someone",
        own=mine,
        message_id=number,
        account=None if who is None or author.flag("bot") else f"{CHANNEL}:{who.user_id}",
        attachments=() if voiced else attachments,
        # The bot's own words were written by it, whatever Discord shows beside them.
        foreign=None
        if mine and who is not None and who.user_id == own.id
        else foreign_content(body),
    )


_Kind: TypeAlias = Literal["photo", "document", "voice", "video", "other"]
_KINDS: dict[str, _Kind] = {"image": "photo", "audio": "voice", "video": "video"}
_LONGEST_NAME = 255
_VOICE_MESSAGE = 1 << 13


def attachments_of(message: Fields, channel: str, number: str) -> tuple[Attachment, ...]:
    """Returns the files of a message, which is found in a channel by its number."""
    recorded = bool((message.number("flags") or 0) & _VOICE_MESSAGE)
    return tuple(
        found
        for file in message.items("attachments")
        if (found := _attachment(file, f"{channel}/{number}", recorded=recorded)) is not None
    )


def _attachment(file: Fields, place: str, *, recorded: bool) -> Attachment | None:
    number = file.id("id")
    if number is None:
        return None
    family = (file.text("content_type") or "").partition("/")[0]
    kind = _KINDS.get(family, "document")
    size = file.number("size")
    seconds = file.decimal("duration_secs")
    name = file.line("filename", 10_000) or kind
    return Attachment(
        kind,
        name if len(name) <= _LONGEST_NAME else name[:200] + PurePath(name).suffix[-20:],
        size if size is not None and size >= 0 else None,
        # Addresses of files end after a day, so the message is asked for a new one.
        f"{place}/{number}",
        number,
        None if seconds is None else round(seconds),
        recorded=recorded and kind == "voice",
    )
