"""Translates errors of the library into the faults the program knows."""

import re

from telegram.error import TelegramError

from bot.adapters.telegram.answers import NeverSent, NoUrl, Refused, UnreadableAnswer
from bot.domain.talk.errors import (
    ChannelDenied,
    ChannelError,
    ChannelUnreachable,
    ContentRefused,
    FloodWait,
    RecipientGone,
)
from bot.domain.talk.unreached import why_unreached
from bot.shipped import command

BAD_TOKEN = "Telegram does not accept the bot token"
NEW_TOKEN = f"Copy it again from @BotFather, run `{command('setup')}`, and restart."
_DEFAULT_WAIT = 5.0
_MOVED = "group chat was upgraded"
_ONE_KIND = re.compile(r"not enough rights to send (?!text messages|messages)")
"""A refusal of one kind of content, such as photos: the chat takes others."""

_NO_VOICE = ("voice_messages_forbidden", "not enough rights to send voice notes")
# Words of 400 answers after which no other content would be taken either.
_GONE = (
    "chat not found",
    "user not found",
    "peer_id_invalid",
    "chat_write_forbidden",
    "not enough rights",
    "have no rights",
    "need administrator rights",
    "group chat was deactivated",
    "message thread not found",
    "topic_deleted",
    "topic_closed",
)


class Upgraded(ChannelUnreachable):
    """The group became the supergroup `chat`; None when the refusal does not tell which."""

    def __init__(self, message: str, chat: str | None) -> None:
        super().__init__(message, maybe_done=False)
        self.chat = chat


class NoSuchMethod(ChannelDenied):
    """The server knows no such method; it answers a token that cannot be one with the same."""


def translated(error: TelegramError) -> ChannelError:
    """Returns the fault for an error of the library; its text may still hold the token."""
    match error:
        case Refused():
            return _refused(error)
        case UnreadableAnswer():
            return ChannelUnreachable(f"Telegram sent {error.message}", maybe_done=True)
        case NoUrl():
            # The token is a part of the address.
            return ChannelDenied(BAD_TOKEN)
        case _:
            sent = not isinstance(error, NeverSent)
            return ChannelUnreachable(unreached(error), maybe_done=sent)


def unreached(error: TelegramError) -> str:
    """Returns what is told of an error on the way to Telegram; it names no library."""
    return f"Telegram cannot be reached: {why_unreached(error)}"


def _refused(error: Refused) -> ChannelError:
    text = error.description
    match error.status:
        case 429:
            return FloodWait(_DEFAULT_WAIT if error.retry_after is None else error.retry_after)
        case 401 | 404:
            denied = NoSuchMethod if error.status == 404 else ChannelDenied
            return denied(f"{BAD_TOKEN} ({text})")
        case 403:
            return RecipientGone(text)
        case 400 if _MOVED in text.lower():
            return Upgraded(text, error.migrate_to)
        case 400 if any(words in text.lower() for words in _NO_VOICE):
            return ContentRefused("this chat takes no voice messages from me")
        case 400 if _is_gone(text.lower()):
            return RecipientGone(text)
        case 400 | 413:
            return ContentRefused(text)
        case _:
            return ChannelUnreachable(f"Telegram answered {error.status}: {text}", maybe_done=True)


def _is_gone(text: str) -> bool:
    return any(words in text for words in _GONE) and not _ONE_KIND.search(text)
