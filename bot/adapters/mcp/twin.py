"""Judges structured content: does it repeat what the parts of an answer say already?"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

_LONGEST_WORD = 200
_MOST_LEAVES = 5_000
_MOST_COMPARED = 50_000_000
"""Characters that are searched for one answer; beyond them structured content counts as new."""

_MOST_PARSED = 100
_DEEPEST = 40
_PARTS = ("text", "image", "audio", "resource", "resource_link")
_FRAME = ("type", "mimeType", "annotations", "_meta")
_ENCODED = re.compile(
    r"(?:data:[\w.+/-]+;base64,|iVBORw0KGgo|/9j/|R0lGOD|UklGR|SUQz|T2dnU|JVBERi0|UEsDB)"
    r"[A-Za-z0-9+/_-]{400,}={0,2}"
)
"""A data address, or the encoded beginning of a picture, sound, PDF or archive, and the rest."""

_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
_EMPTY = ({"success": True}, {"ok": True}, {})
"""Content that says no more than that the call did not fail."""


def without_media(value: Any, media: Sequence[str] = (), depth: int = 0) -> Any:
    """Returns the content without encoded pictures, sounds and files; `media` are known ones."""
    if depth > _DEEPEST:
        return "[nested too deeply]"
    if isinstance(value, str):
        return _told(value) if value in media or _ENCODED.fullmatch(value) else value
    if isinstance(value, list):
        return [without_media(inner, media, depth + 1) for inner in value]
    if isinstance(value, Mapping):
        return {
            key: _told(inner)
            if _is_medium(value, key, inner)
            else without_media(inner, media, depth + 1)
            for key, inner in value.items()
        }
    return value


def is_said(content: Any, texts: Sequence[str], media: Sequence[str]) -> bool:
    """Returns True when every word and number of the content stands in the texts or the media."""
    if content in _EMPTY:
        return True
    parsed = [read for read in map(parsed_json, texts[:_MOST_PARSED]) if read is not None]
    said = _Said([*texts, *(leaf for read in parsed for leaf in _strings(read))])
    leaves = list(islice(_leaves(content, media, parsed), _MOST_LEAVES + 1))
    return len(leaves) <= _MOST_LEAVES and all(said.has(leaf) for leaf in leaves)


def parsed_json(text: str) -> Any:
    """Returns a text as JSON; None when it is none."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


class _Said:
    """The texts of an answer, searched with a bound on the work."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._whole = {_spaced(text) for text in texts}
        self._text = "\n".join(self._whole)
        self._numbers = set(_NUMBER.findall(self._text))
        self._room = _MOST_COMPARED

    def has(self, leaf: Any) -> bool:
        if isinstance(leaf, bool):
            return False
        if isinstance(leaf, int | float):
            return f"{leaf:g}" in self._numbers or str(leaf) in self._numbers
        text = _spaced(str(leaf))
        if text in self._whole:
            return True
        self._room -= len(self._text)
        if self._room < 0:
            return False
        if len(text) > _LONGEST_WORD:
            return text in self._text
        return re.search(rf"(?<!\w){re.escape(text)}(?!\w)", self._text) is not None


def _leaves(value: Any, media: Sequence[str], parsed: Sequence[Any] = ()) -> Iterator[Any]:
    """Yields the values that say something, without the frames of content parts.

    What is equal to one of the `parsed` texts as a whole is left out.
    """
    if isinstance(value, bool | list | Mapping) and _is_among(value, parsed):
        return
    if isinstance(value, list):
        for inner in value:
            yield from _leaves(inner, media, parsed)
    elif isinstance(value, Mapping):
        framed = _FRAME if value.get("type") in _PARTS else ()
        for key, inner in value.items():
            if key not in framed and {key: inner} not in _EMPTY:
                yield from _leaves(inner, media, parsed)
    elif value not in ("", None) and value not in media:
        yield value


def _is_among(value: Any, parsed: Sequence[Any]) -> bool:
    return any(type(value) is type(read) and value == read for read in parsed)


def _strings(value: Any) -> Iterator[str]:
    yield from (leaf for leaf in _leaves(value, ()) if isinstance(leaf, str))


def _is_medium(part: Mapping[str, Any], key: str, value: Any) -> bool:
    """Returns True for the encoded bytes of a content part of the protocol, however short."""
    kind = part.get("mimeType")
    return key in ("data", "blob") and isinstance(value, str) and isinstance(kind, str)


def _told(encoded: str) -> str:
    return f"[{len(encoded) * 3 // 4} encoded bytes, left out]"


def _spaced(text: str) -> str:
    return " ".join(text.split())
