"""Turns the parts of an answer into one text, with the files beside it."""

import base64
import json
import mimetypes
import re
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import unquote, urlsplit

import mcp_types as types

from bot.adapters.mcp.remote import Attached, ServerAnswer
from bot.adapters.mcp.twin import is_said, parsed_json, without_media
from bot.domain.text.visible_text import clipped, one_line, size

LONGEST_TEXT = 1_000_000
"""Characters of an answer that are kept; the model's share is cut further later on."""

MOST_FILES = 8
"""Files of one answer that go to the chat."""

_LONGEST_NAME = 80
_SHORTEST_MEDIA = 1_000
_UNSAFE = re.compile(r"[^\w .,()+=@-]+")


def answer(result: types.CallToolResult) -> ServerAnswer:
    """Returns all readable parts of the answer, with a remark on each unreadable one."""
    files: list[Attached] = []
    parts = [_part(block, files) for block in result.content]
    told = _structured(result.structured_content, parts, _encoded(result.content))
    text = "\n".join([*parts, *([told] if told else [])])
    if len(text) > LONGEST_TEXT:
        left_out = len(text) - LONGEST_TEXT
        text = f"{text[:LONGEST_TEXT]}\n[… {left_out} characters left out …]"
    return ServerAnswer(text, tuple(files), bool(result.is_error))


def _part(block: types.ContentBlock, files: list[Attached]) -> str:
    match block:
        case types.TextContent():
            return _without_media(block.text)
        case types.ImageContent():
            return _file("a picture", block.data, block.mime_type, files)
        case types.AudioContent():
            return _file("a sound", block.data, block.mime_type, files)
        case types.ResourceLink():
            about = f": {block.description}" if block.description else ""
            return f"[a link to {block.name}, {block.uri}{about}]"
        case types.EmbeddedResource():
            return _resource(block.resource, files)


def _resource(
    resource: types.TextResourceContents | types.BlobResourceContents, files: list[Attached]
) -> str:
    if isinstance(resource, types.TextResourceContents):
        return f"[{resource.uri}]\n{_without_media(resource.text)}"
    kind = resource.mime_type or "of an unknown kind"
    uri = str(resource.uri)
    return _file(f"a file, {one_line(uri, 200)}", resource.blob, kind, files, _name(uri))


def _file(what: str, encoded: str, kind: str, files: list[Attached], name: str = "") -> str:
    """Keeps a picture, a sound or a file for the chat, and returns what the model reads of it."""
    told = f"[{what}, {one_line(kind, 80)}"
    try:
        data = base64.b64decode(encoded, validate=True)
    except ValueError:
        return f"{told}, which cannot be decoded]"
    told = f"{told}, {size(len(data))}"
    if not data or len(files) == MOST_FILES:
        return f"{told}, left out]"
    files.append(Attached(kind, data, name or f"{len(files) + 1}{_suffix(kind)}"))
    return f"{told}, sent to the chat; you cannot see it]"


def _name(uri: str) -> str:
    """Returns the file name at the end of an address; empty when there is none."""
    try:
        last = unquote(urlsplit(uri).path).rpartition("/")[2]
    except ValueError:
        return ""
    name = _UNSAFE.sub("_", one_line(last, 1_000)).strip(" .")
    stem, dot, suffix = name.rpartition(".")
    if not dot or len(suffix) > _LONGEST_NAME // 4:
        return clipped(name, _LONGEST_NAME)
    return f"{clipped(stem, _LONGEST_NAME - len(suffix) - 1)}.{suffix}"


def _suffix(kind: str) -> str:
    known = {"image/jpeg": ".jpg", "audio/wav": ".wav", "audio/mpeg": ".mp3"}
    plain = kind.partition(";")[0].strip().lower()
    return known.get(plain) or mimetypes.guess_extension(plain) or ".bin"


def _encoded(blocks: Sequence[types.ContentBlock]) -> Sequence[str]:
    """Returns the encoded pictures, sounds and files of an answer."""
    found: list[str] = []
    for block in blocks:
        if isinstance(block, types.ImageContent | types.AudioContent):
            found.append(block.data)
        elif isinstance(block, types.EmbeddedResource) and isinstance(
            block.resource, types.BlobResourceContents
        ):
            found.append(block.resource.blob)
    return found


def _without_media(text: str) -> str:
    """Returns a text without the encoded media of a JSON that it consists of."""
    if len(text) < _SHORTEST_MEDIA or not text.lstrip().startswith(("{", "[")):
        return str(without_media(text))
    parsed = parsed_json(text)
    cleaned = without_media(parsed)
    return text if cleaned == parsed else json.dumps(cleaned, ensure_ascii=False)


def _structured(content: Any, parts: Sequence[str], media: Sequence[str]) -> str:
    """Returns structured content as JSON, or an empty text when the parts say all of it."""
    if content is None or (isinstance(content, Mapping) and not content):
        return ""
    if parts and is_said(content, parts, media):
        return ""
    return json.dumps(without_media(content, media), ensure_ascii=False)
