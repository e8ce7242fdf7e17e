"""Puts together what stands around the words of a message: buttons, reply marks, threads."""

from typing import Any

from telegram import (
    ForceReply,
    InlineKeyboardButton,
    InlineKeyboardMarkup,
    LinkPreviewOptions,
    ReplyParameters,
)

from bot.adapters.telegram.addresses import is_group
from bot.domain.talk.errors import RecipientGone
from bot.domain.talk.message import Address

_NO_PREVIEW = LinkPreviewOptions(is_disabled=True)
_LONGEST_HINT = 64


def file_frame(to: Address, body: Any) -> dict[str, Any]:
    """Returns everything that stands around a file in its message."""
    return {
        "caption": body.get("caption"),
        "reply_markup": keyboard(body),
        "reply_parameters": reply_mark(body),
        "disable_notification": body.get("silent"),
        "message_thread_id": thread(to),
    }


def rich_frame(to: Address, body: Any) -> dict[str, Any]:
    """Returns everything that stands around a rich message; the method knows no link previews."""
    return {
        "chat_id": to.chat,
        "reply_markup": keyboard(body) or asking(to, body),
        "reply_parameters": reply_mark(body),
        "disable_notification": body.get("silent"),
        "message_thread_id": thread(to),
    }


def keyboard(body: Any) -> InlineKeyboardMarkup | None:
    rows = body.get("buttons")
    if not rows:
        return None
    return InlineKeyboardMarkup(
        [[InlineKeyboardButton(b["label"], callback_data=b["data"]) for b in row] for row in rows]
    )


def asking(to: Address, body: Any) -> ForceReply | None:
    """Opens a reply for the words that a message asks for; not in a group, where all would see."""
    if "asks" not in body or is_group(to):
        return None
    return ForceReply(input_field_placeholder=body["asks"][:_LONGEST_HINT])


def reply_mark(body: Any) -> ReplyParameters | None:
    reply_to = body.get("reply_to")
    if reply_to is None:
        return None
    # The message answered may have been deleted meanwhile; the answer is owed all the same.
    return ReplyParameters(numbered(reply_to), allow_sending_without_reply=True)


def preview(body: Any) -> LinkPreviewOptions | None:
    return None if body.get("previews") else _NO_PREVIEW


def thread(to: Address) -> int | None:
    return None if to.thread is None else numbered(to.thread)


def numbered(id: str) -> int:
    """Returns an id as Telegram counts; raises RecipientGone for one that it never gave."""
    try:
        return int(id)
    except ValueError:
        raise RecipientGone(f"{id[:40]!r} is no number of Telegram") from None
