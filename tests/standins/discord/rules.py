"""What Discord refuses in a message, in its components and in a dialogue."""

import base64
import re
from collections.abc import Sequence
from typing import Any

from tests.standins.discord.faults import Refusal, bad_form

LARGEST_FILE = 10 * 1024 * 1024
_CREATE_FLAGS = 1 << 2 | 1 << 12 | 1 << 13
_EDIT_FLAGS = 1 << 2
_FIELDS = frozenset(
    {
        *("content", "components", "allowed_mentions", "flags", "nonce", "enforce_nonce"),
        *("message_reference", "attachments", "embeds", "tts"),
    }
)


def check_message(body: Any, files: Sequence[bytes], *, edit: bool = False) -> None:
    if not isinstance(body, dict) or set(body) - _FIELDS:
        raise bad_form(f"unknown fields in {body!r}"[:200])
    content = body.get("content") or ""
    if not isinstance(content, str) or len(content) > 2000:
        raise bad_form("content: Must be 2000 or fewer in length.")
    if "content" in body and not content.strip() and not files and not edit:
        raise Refusal(400, 50006, "Cannot send an empty message")
    if (body.get("flags") or 0) & ~(_EDIT_FLAGS if edit else _CREATE_FLAGS):
        raise bad_form("flags: Invalid bitfield")
    nonce = body.get("nonce")
    if nonce is not None and (not isinstance(nonce, str | int) or len(str(nonce)) > 25):
        raise bad_form("nonce: Must be 25 or fewer in length.")
    if any(len(file) > LARGEST_FILE for file in files):
        raise Refusal(413, 40005, "Request entity too large")
    if len(files) > 10:
        raise bad_form("attachments: Must be 10 or fewer in length.")
    if (body.get("flags") or 0) & 1 << 13:
        _check_voice(body, files)
    _check_mentions(body.get("allowed_mentions"))
    check_components(body.get("components") or [])


def _check_voice(body: Any, files: Sequence[bytes]) -> None:
    if body.get("content") or body.get("components") or body.get("embeds") or len(files) != 1:
        raise bad_form("flags: Voice messages have one sound and nothing else")
    [sound] = body["attachments"]
    heights = base64.b64decode(sound["waveform"], validate=True)
    if not isinstance(sound["duration_secs"], float) or not 1 <= len(heights) <= 256:
        raise bad_form("attachments: duration_secs and waveform are required")
    if getattr(files[0], "kind", "") != "audio/ogg":
        raise bad_form("attachments: Voice messages hold a sound")


def _check_mentions(allowed: Any) -> None:
    if allowed is None:
        return
    known = {"parse", "users", "roles", "replied_user"}
    if not isinstance(allowed, dict) or set(allowed) - known:
        raise bad_form("allowed_mentions")
    if set(allowed.get("parse", ())) - {"roles", "users", "everyone"}:
        raise bad_form("allowed_mentions.parse")


def check_components(rows: Any) -> None:
    if not isinstance(rows, list) or len(rows) > 5:
        raise bad_form("components: Must be 5 or fewer in length.")
    names: list[str] = []
    for row in rows:
        inner = row.get("components") if row.get("type") == 1 else None
        if not isinstance(inner, list) or not 1 <= len(inner) <= 5:
            raise bad_form("components: a row holds between 1 and 5 components")
        for one in inner:
            if one["type"] == 3 and len(inner) != 1:
                raise bad_form("components: a menu stands alone in its row")
            _check_component(one)
            names.append(one["custom_id"])
    if len(set(names)) != len(names):
        raise bad_form("COMPONENT_CUSTOM_ID_DUPLICATED")


def _check_component(one: Any) -> None:
    if not 1 <= len(one.get("custom_id", "")) <= 100:
        raise bad_form("custom_id: Must be between 1 and 100 in length.")
    match one["type"]:
        case 2:
            if not 1 <= len(one.get("label", "")) <= 80 or not one["label"].strip():
                raise bad_form("label: Must be between 1 and 80 in length.")
            if one.get("style") not in (1, 2, 3, 4):
                raise bad_form("style")
        case 3:
            options = one.get("options", [])
            if not 1 <= len(options) <= 25:
                raise bad_form("options: Must be between 1 and 25 in length.")
            if any(not 1 <= len(o[part]) <= 100 for o in options for part in ("label", "value")):
                raise bad_form("options: label and value must be between 1 and 100 in length.")
            if len({o["value"] for o in options}) != len(options):
                raise bad_form("SELECT_COMPONENT_OPTION_VALUE_DUPLICATED")
        case _:
            raise bad_form("components: unknown type")


def check_dialogue(data: Any) -> None:
    if not 1 <= len(data.get("title", "")) <= 45:
        raise bad_form("title: Must be between 1 and 45 in length.")
    if not 1 <= len(data.get("custom_id", "")) <= 100:
        raise bad_form("custom_id: Must be between 1 and 100 in length.")
    rows = data.get("components", [])
    if not 1 <= len(rows) <= 5:
        raise bad_form("components: Must be between 1 and 5 in length.")
    for row in rows:
        [one] = row["components"]
        if row["type"] != 1 or one["type"] != 4 or one["style"] not in (1, 2):
            raise bad_form("components: a dialogue holds fields for words")
        if not 1 <= len(one["label"]) <= 45 or not 1 <= one.get("max_length", 4000) <= 4000:
            raise bad_form("label: Must be between 1 and 45 in length.")
        if "value" in one and not 1 <= len(one["value"]) <= one.get("max_length", 4000):
            raise bad_form("value: Must be between 1 and 4000 in length.")


def check_commands(commands: Any) -> None:
    if not isinstance(commands, list) or len(commands) > 110:
        raise bad_form("Maximum number of application commands reached (110)")
    names = [(one["type"], one["name"]) for one in commands]
    if len(set(names)) != len(names):
        raise bad_form("APPLICATION_COMMANDS_DUPLICATE_NAME")
    for one in commands:
        if one["type"] == 1:
            _check_command(one)
        elif one["type"] not in (2, 3) or one.get("description") or one.get("options"):
            raise bad_form("a command on a message has a name alone")


def _check_command(one: Any) -> None:
    if re.fullmatch(r"[-_a-z0-9]{1,32}", one["name"]) is None:
        raise bad_form("name: String value did not match validation regex.")
    for what in (one, *one.get("options", [])):
        if not 1 <= len(what.get("description", "")) <= 100:
            raise bad_form("description: Must be between 1 and 100 in length.")
    sizes = [len(one["name"]) + len(one["description"])]
    sizes += [len(o["name"]) + len(o["description"]) for o in one.get("options", [])]
    if sum(sizes) > 8000:
        raise bad_form("APPLICATION_COMMAND_TOO_LARGE")
