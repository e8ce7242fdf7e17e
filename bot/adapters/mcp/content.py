"""Turns the parts of an answer into one text, with the pictures beside it."""

import base64
import json
from collections.abc import Mapping, Sequence
from typing import Any

import mcp_types as types

from bot.adapters.mcp.remote import Answer, Picture
from bot.domain.visible_text import size

LONGEST_TEXT = 1_000_000
"""Characters of an answer that are kept; the model's share is cut further later on."""

MOST_PICTURES = 4
_PICTURES = ("image/png", "image/jpeg", "image/gif", "image/webp")


def answer(result: types.CallToolResult) -> Answer:
    """Returns all readable parts of the answer, with a remark on each unreadable one."""
    pictures: list[Picture] = []
    parts = [_part(block, pictures) for block in result.content]
    told = _structured(result.structured_content, parts)
    text = "\n".join([*parts, *([told] if told else [])])
    if len(text) > LONGEST_TEXT:
        left_out = len(text) - LONGEST_TEXT
        text = f"{text[:LONGEST_TEXT]}\n[… {left_out} characters left out …]"
    return Answer(text, tuple(pictures), bool(result.is_error))


def _part(block: types.ContentBlock, pictures: list[Picture]) -> str:
    match block:
        case types.TextContent():
            return block.text
        case types.ImageContent():
            return _picture(block, pictures)
        case types.AudioContent():
            return f"[a sound, {block.mime_type}, {size(_bytes_of(block.data))}, left out]"
        case types.ResourceLink():
            about = f": {block.description}" if block.description else ""
            return f"[a link to {block.name}, {block.uri}{about}]"
        case types.EmbeddedResource():
            return _resource(block.resource)


def _picture(block: types.ImageContent, pictures: list[Picture]) -> str:
    kind, measured = block.mime_type, size(_bytes_of(block.data))
    if kind not in _PICTURES or len(pictures) == MOST_PICTURES:
        return f"[a picture, {kind}, {measured}, left out]"
    try:
        data = base64.b64decode(block.data, validate=True)
    except ValueError:
        return f"[a picture, {kind}, which cannot be decoded]"
    pictures.append(Picture(kind, data))
    return f"[a picture, {kind}, {measured}, sent to the chat; you cannot see it]"


def _resource(resource: types.TextResourceContents | types.BlobResourceContents) -> str:
    if isinstance(resource, types.TextResourceContents):
        return f"[{resource.uri}]\n{resource.text}"
    kind = resource.mime_type or "of an unknown kind"
    return f"[a file, {resource.uri}, {kind}, {size(_bytes_of(resource.blob))}, left out]"


def _structured(content: Any, parts: Sequence[str]) -> str:
    """Returns structured content as JSON, or an empty text when a text part repeats it."""
    if content is None or (isinstance(content, Mapping) and not content):
        return ""
    # Many servers send a plain text twice: as a text, and wrapped like this.
    if any(content in (_parsed(part), {"result": part}) for part in parts):
        return ""
    return json.dumps(content, ensure_ascii=False)


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _bytes_of(encoded: str) -> int:
    return len(encoded) * 3 // 4
