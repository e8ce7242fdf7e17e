"""Lists the files beside the text of a message."""

from typing import Literal, TypeAlias

from bot.adapters.telegram.fields import Fields
from bot.domain.message import Attachment

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
_WITHOUT_FILE = (
    "game",
    "checklist",
    "story",
    "giveaway",
    "invoice",
    "paid_media",
)


def attachments_of(message: Fields) -> tuple[Attachment, ...]:
    """Returns photos in their largest size, and files; content without a file has no handle."""
    if photo := _photo(message):
        return (photo,)
    for name, kind in _FILES.items():
        if (file := message.inner(name)) is not None:
            return (_attachment(file, kind, file.text("file_name") or name),)
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


def _attachment(file: Fields, kind: _Kind, name: str) -> Attachment:
    size = file.number("file_size")
    one_line = " ".join(name.split())
    return Attachment(
        kind,
        one_line[:255] or kind,
        size if size is not None and size >= 0 else None,
        file.text("file_id") or "",
    )
