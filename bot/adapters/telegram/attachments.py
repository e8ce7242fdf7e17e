"""Lists the files beside the text of a message."""

import mimetypes
from dataclasses import replace
from pathlib import PurePath
from typing import Literal, TypeAlias

from bot.adapters.telegram.fields import Fields
from bot.domain.talk.message import Attachment

_Kind: TypeAlias = Literal["photo", "document", "voice", "video", "other"]

# An animation comes with a document of the same file, so the first kind found is the one.
_FILES: dict[str, _Kind] = {
    "animation": "video",
    "video": "video",
    "video_note": "video",
    "voice": "voice",
    "audio": "voice",
    "document": "document",
}
_NAMES = {
    "animation": "animation.mp4",
    "video": "video.mp4",
    "video_note": "video.mp4",
    "voice": "voice.ogg",
    "audio": "audio.mp3",
}
"""Names of recordings that came without one."""

_LONGEST_NAME = 255
_LONGEST_ENDING = 20
_WITHOUT_FILE = ("game", "checklist", "story", "giveaway", "invoice", "paid_media")


def attachments_of(message: Fields) -> tuple[Attachment, ...]:
    """Returns photos in their largest size, and files; content without a file has no handle."""
    if photo := _photo(message):
        return (photo,)
    for name, kind in _FILES.items():
        if (file := message.inner(name)) is not None:
            found = _attachment(file, kind, file.text("file_name") or _named(file, name))
            return (replace(found, recorded=name == "voice"),)
    for name in _WITHOUT_FILE:
        if name in message:
            return (Attachment("other", name, None, ""),)
    return ()


def _photo(message: Fields) -> Attachment | None:
    sizes = [size for size in message.items("photo") if size.text("file_id")]
    if not sizes:
        return None
    largest = max(
        sizes, key=lambda size: (size.number("width") or 0, size.number("file_size") or 0)
    )
    return _attachment(largest, "photo", "photo.jpg")


def _named(file: Fields, kind: str) -> str:
    """Returns a name for a file that has none, with the ending of its type."""
    if (usual := _NAMES.get(kind)) is not None:
        return usual
    return f"{kind}{mimetypes.guess_extension(file.text('mime_type') or '') or ''}"


def _attachment(file: Fields, kind: _Kind, name: str) -> Attachment:
    size = file.number("file_size")
    one_line = " ".join(name.split())
    return Attachment(
        kind,
        _short(one_line) or kind,
        size if size is not None and size >= 0 else None,
        file.text("file_id") or "",
        file.text("file_unique_id") or "",
        file.number("duration"),
    )


def _short(name: str) -> str:
    """Returns at most 255 characters of a name, with its ending."""
    if len(name) <= _LONGEST_NAME:
        return name
    ending = PurePath(name).suffix[-_LONGEST_ENDING:]
    return name[: _LONGEST_NAME - len(ending)] + ending
