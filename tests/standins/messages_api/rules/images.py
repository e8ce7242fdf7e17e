"""Rules for images: bytes of the base64 text, and pixels read from the file's own header."""

import base64
import binascii
import struct
from collections.abc import Iterator

from tests.standins.messages_api.wire import Json, Placed

_MAX_BYTES = 5 * 1024 * 1024
_MAX_SIDE = 8000
_MANY_IMAGES = 20
_MAX_SIDE_OF_MANY = 2000
_PNG = b"\x89PNG\r\n\x1a\n"
_JPEG = b"\xff\xd8"
_JPEG_FRAMES = {0xC0, 0xC1, 0xC2}


def image_faults(blocks: list[Placed]) -> Iterator[str]:
    """Yield the images that are too heavy or too large; twenty and more have a tighter limit."""
    images = [found for placed in blocks for found in _images(placed.block, placed.path)]
    for path, image in images:
        if image["source"].get("type") == "base64":
            yield from _base64_faults(
                image["source"]["data"], f"{path}.image.source.base64", len(images)
            )


def _images(block: Json, path: str) -> Iterator[tuple[str, Json]]:
    if block["type"] == "image":
        yield path, block
    content = block.get("content")
    if block["type"] == "tool_result" and isinstance(content, list):
        for index, inner in enumerate(content):
            yield from _images(inner, f"{path}.tool_result.content.{index}")


def _base64_faults(data: str, path: str, count: int) -> Iterator[str]:
    if len(data) > _MAX_BYTES:
        yield f"{path}: image exceeds 5 MB maximum: {len(data)} bytes > {_MAX_BYTES} bytes"
    try:
        side = _longest_side(base64.b64decode(data, validate=True))
    except binascii.Error:
        yield f"{path}.data: Invalid base64 data"
        return
    if side > _MAX_SIDE:
        yield (
            f"{path}.data: At least one of the image dimensions exceed max allowed size: "
            f"{_MAX_SIDE} pixels"
        )
    if count > _MANY_IMAGES and side > _MAX_SIDE_OF_MANY:
        yield (
            f"{path}.data: At least one of the image dimensions exceed max allowed size for "
            f"many-image requests: {_MAX_SIDE_OF_MANY} pixels"
        )


def _longest_side(data: bytes) -> int:
    """Read the longer side in pixels from a PNG or JPEG; other formats count as 0."""
    if data.startswith(_PNG) and len(data) >= 24:
        return max(struct.unpack(">II", data[16:24]))
    if data.startswith(_JPEG):
        return _longest_jpeg_side(data)
    return 0


def _longest_jpeg_side(data: bytes) -> int:
    position = 2
    while position + 9 <= len(data):
        marker, length = data[position + 1], int.from_bytes(data[position + 2 : position + 4])
        if marker in _JPEG_FRAMES:
            return max(struct.unpack(">HH", data[position + 5 : position + 9]))
        position += 2 + length
    return 0
