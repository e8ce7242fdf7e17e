"""Lists the files beside the text of a message."""

from pathlib import PurePath
from typing import Literal, TypeAlias

from bot.adapters.discord.fields import Fields
from bot.domain.talk.message import Attachment

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
