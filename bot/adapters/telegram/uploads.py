"""Files on their way to the platform: their bytes, their bounds, and their names."""

from pathlib import Path

from telegram import InputFile

from bot.domain.talk.errors import ContentRefused

_LARGEST_FILE = 50_000_000
_LARGEST_PHOTO = 10_000_000
_PICTURES = (b"\xff\xd8\xff", b"\x89PNG\r\n\x1a\n")


def content_of(path: Path) -> bytes:
    """Returns the bytes of a file; raises ContentRefused when it is too large or unreadable."""
    try:
        if path.stat().st_size > _LARGEST_FILE:
            raise ContentRefused("the file is larger than the 50 MB a bot may send")
        return path.read_bytes()
    except OSError as error:
        raise ContentRefused(f"the file cannot be read: {error.strerror}") from None


def is_photo(content: bytes) -> bool:
    """Returns True for a picture that the platform may show as one."""
    return content.startswith(_PICTURES) and len(content) <= _LARGEST_PHOTO


def upload_of(name: str, content: bytes) -> InputFile:
    """Returns a file under the last part of its name."""
    return InputFile(content, _file_name(name))


def _file_name(name: str) -> str:
    """Returns the last part of a name, without characters that would break a header."""
    last = name.replace("\\", "/").rpartition("/")[2]
    return "".join(c for c in last if c.isprintable()).strip()[-200:] or "file"
