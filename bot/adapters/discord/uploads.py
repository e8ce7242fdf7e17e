"""Files on their way to Discord: their bytes, their bounds, and their names."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bot.domain.errors import ContentRefused

LARGEST_FILE = 10_000_000
"""Bytes of the largest file that a bot may send."""


def content_of(file: Mapping[str, Any]) -> bytes:
    """Returns the bytes of a file; raises ContentRefused when it is too large or unreadable."""
    if "text" in file:
        content = str(file["text"]).encode()
    else:
        path = Path(file["path"])
        try:
            content = b"" if path.stat().st_size > LARGEST_FILE else path.read_bytes()
            size = path.stat().st_size
        except OSError as error:
            raise ContentRefused(f"the file cannot be read: {error.strerror}") from None
        if size > LARGEST_FILE:
            raise ContentRefused("it is larger than the 10 MB that a bot may send")
    if len(content) > LARGEST_FILE:
        raise ContentRefused("it is larger than the 10 MB that a bot may send")
    return content


def form_of(payload: Mapping[str, Any], name: str, content: bytes) -> list[dict[str, Any]]:
    """Returns the parts of a message with one file."""
    shown = file_name(name)
    told = {**payload, "attachments": [{"id": 0, "filename": shown}]}
    return [
        {"name": "payload_json", "value": json.dumps(told)},
        {
            "name": "files[0]",
            "value": content,
            "filename": shown,
            "content_type": "application/octet-stream",
        },
    ]


def file_name(name: str) -> str:
    """Returns the last part of a name, without characters that would break a header."""
    last = name.replace("\\", "/").rpartition("/")[2]
    return "".join(c for c in last if c.isprintable() and c != '"').strip()[-200:] or "file"
