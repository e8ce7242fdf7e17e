"""Makes a fresh reply fit to be stored: ids unique, names legal, text whole."""

import re
import secrets
from collections.abc import Mapping
from typing import Any

from bot.domain.text.storable import storable
from bot.domain.tools.tool import ToolCall
from bot.domain.turn.transcript import CallPart, ReplyPart, TextPart
from bot.domain.value import replace

_NAME = re.compile(r"[a-zA-Z0-9_-]+")
_LEGAL_ID = re.compile(r"[a-zA-Z0-9_-]{1,64}")


def admit(parts: tuple[ReplyPart, ...], taken: set[str]) -> tuple[ReplyPart, ...]:
    """Returns the parts of a reply, repaired wherever a later request would be refused.

    `taken` are the call ids of the conversation so far; ids of this reply are added to it.
    """
    return tuple(_admitted(part, taken) for part in parts)


def _admitted(part: ReplyPart, taken: set[str]) -> ReplyPart:
    match part:
        case CallPart(call=call):
            return CallPart(_call(call, taken))
        case TextPart(text=text, raw=raw):
            sound = storable(text)
            return TextPart(sound, raw if sound == text else None)
        case _:
            return part


def _call(call: ToolCall, taken: set[str]) -> ToolCall:
    legal = _LEGAL_ID.fullmatch(call.id) is not None and call.id not in taken
    call_id = call.id if legal else f"call_{secrets.token_hex(8)}"
    taken.add(call_id)
    name = clean_name(call.name)
    if call_id == call.id and name == call.name:
        return call
    return replace(call, id=call_id, name=name, raw=_renamed(call.raw, call_id, name))


def clean_name(name: str) -> str:
    """Returns the legal beginning of a tool name: models leak tokens behind it."""
    found = _NAME.match(name.strip())
    return found.group()[:128] if found else "unnamed"


def _renamed(raw: Mapping[str, Any] | None, call_id: str, name: str) -> Mapping[str, Any] | None:
    return None if raw is None else {**raw, "id": call_id, "name": name}
