"""A file on its way to a platform: its bytes, their bound, and its name."""

from pathlib import Path

from bot.domain.talk.errors import ContentRefused


def bytes_of(path: Path, most: int, too_large: str) -> bytes:
    """Returns the bytes of a file; raises ContentRefused when it is too large or unreadable."""
    try:
        content = None if path.stat().st_size > most else path.read_bytes()
    except OSError as error:
        raise ContentRefused(f"the file cannot be read: {error.strerror}") from None
    # It may have grown since it was measured.
    if content is None or len(content) > most:
        raise ContentRefused(too_large)
    return content


def last_name(name: str, without: str = "") -> str:
    """Returns the last part of a name, without signs that would break a header."""
    last = name.replace("\\", "/").rpartition("/")[2]
    kept = "".join(c for c in last if c.isprintable() and c not in without)
    return kept.strip()[-200:] or "file"
