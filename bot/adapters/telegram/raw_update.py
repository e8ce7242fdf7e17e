"""Keeps a raw update as canonical JSON, under the number the platform gave it."""

import hashlib
import json
from typing import Any

from bot.domain.talk.message import RawUpdate

# Update ids are 32-bit; confirming a larger one would confirm everything to come.
_LARGEST_ID = 1 << 31


def update_number(update: Any) -> int | None:
    """Returns the number of a decoded update; None for a number that cannot confirm it."""
    number = update.get("update_id") if isinstance(update, dict) else None
    if isinstance(number, bool) or not isinstance(number, int):
        return None
    return number if 0 < number < _LARGEST_ID else None


def raw_update(update: Any) -> RawUpdate:
    """Returns the update to keep for any decoded JSON; without a number its key is a digest."""
    body = json.dumps(update, separators=(",", ":"))
    number = update_number(update)
    if number is not None:
        return RawUpdate(str(number), body)
    return RawUpdate(f"sha256:{hashlib.sha256(body.encode()).hexdigest()}", body)
