"""Files on their way to the platform: their bytes, their bounds, and their names."""

from pathlib import Path

from telegram import InputFile

from bot.adapters.platforms.sent_file import bytes_of, last_name

_LARGEST_FILE = 50_000_000
_LARGEST_PHOTO = 10_000_000
_PICTURES = (b"\xff\xd8\xff", b"\x89PNG\r\n\x1a\n")


def content_of(path: Path) -> bytes:
    """Returns the bytes of a file; raises ContentRefused when it is too large or unreadable."""
    return bytes_of(path, _LARGEST_FILE, "the file is larger than the 50 MB a bot may send")


def is_photo(content: bytes) -> bool:
    """Returns True for a picture that the platform may show as one."""
    return content.startswith(_PICTURES) and len(content) <= _LARGEST_PHOTO


def upload_of(name: str, content: bytes) -> InputFile:
    """Returns a file under the last part of its name."""
    return InputFile(content, last_name(name))
