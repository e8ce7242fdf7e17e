"""Files on their way to Discord: their bytes, their bounds, and their names."""

import base64
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bot.adapters.platforms.sent_file import bytes_of, last_name
from bot.domain.talk.errors import ContentRefused
from bot.domain.talk.ogg_opus import seconds_of, waveform_of

LARGEST_FILE = 10_000_000
"""Bytes of the largest file that a bot may send."""

_TOO_LARGE = "it is larger than the 10 MB that a bot may send"


def content_of(file: Mapping[str, Any]) -> bytes:
    """Returns the bytes of a file; raises ContentRefused when it is too large or unreadable."""
    if "text" not in file:
        return bytes_of(Path(file["path"]), LARGEST_FILE, _TOO_LARGE)
    content = str(file["text"]).encode()
    if len(content) > LARGEST_FILE:
        raise ContentRefused(_TOO_LARGE)
    return content


_VOICE = "voice-message.ogg"
_OF_WORDS = ("content", "components")
_NO_PREVIEW, _VOICE_MESSAGE = 1 << 2, 1 << 13
_MOST_HEIGHTS = 256
"""Heights in the picture of a voice message."""


def voice_form_of(payload: Mapping[str, Any], content: bytes) -> list[dict[str, Any]] | None:
    """Returns the parts of a voice message, which has no words; None if this is no such sound."""
    seconds = seconds_of(content)
    if seconds is None:
        return None
    heights = base64.b64encode(waveform_of(content, _MOST_HEIGHTS) or bytes(1)).decode()
    told = {name: payload[name] for name in payload if name not in _OF_WORDS}
    told["flags"] = told["flags"] & ~_NO_PREVIEW | _VOICE_MESSAGE
    sound = {"id": 0, "filename": _VOICE, "duration_secs": float(seconds), "waveform": heights}
    return _parts({**told, "attachments": [sound]}, _VOICE, content, "audio/ogg")


def form_of(payload: Mapping[str, Any], name: str, content: bytes) -> list[dict[str, Any]]:
    """Returns the parts of a message with one file."""
    shown = last_name(name, without='"')
    told = {**payload, "attachments": [{"id": 0, "filename": shown}]}
    return _parts(told, shown, content, "application/octet-stream")


def _parts(told: Any, shown: str, content: bytes, kind: str) -> list[dict[str, Any]]:
    return [
        {"name": "payload_json", "value": json.dumps(told)},
        {"name": "files[0]", "value": content, "filename": shown, "content_type": kind},
    ]
