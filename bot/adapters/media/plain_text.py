"""Reads text in any encoding."""

import codecs
from collections.abc import Sequence

import charset_normalizer

from bot.adapters.media.found import FoundText
from bot.adapters.media.kind import UNKNOWN
from bot.adapters.media.unread import Unread

_MOST_BYTES = 4_000_000
_MOST_CHARACTERS = 2_000_000
_SAMPLE = 200_000
_BINARY_SHARE = 0.02
_CONTROLS = frozenset(map(chr, range(32))) - set("\t\n\r\f\x1b")
_MARKED = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


def text_of(data: bytes) -> FoundText:
    """Returns at most 2,000,000 characters of text; raises Unread when the file is no text."""
    head = data[:_MOST_BYTES]
    text = decoded(head)[:_MOST_CHARACTERS]
    sample = text[:_SAMPLE]
    if sum(character in _CONTROLS for character in sample) > _BINARY_SHARE * len(sample):
        raise Unread(UNKNOWN)
    if not text.strip():
        raise Unread("has nothing but white space in it")
    cut = len(data) > len(head) or len(text) == _MOST_CHARACTERS
    return FoundText(text, f"only the first {len(text)} characters were read" if cut else "")


def decoded(data: bytes, named: Sequence[str] = ()) -> str:
    """Returns the text of bytes. What they are counts before the encodings that they `named`."""
    for mark, encoding in _MARKED:
        if data.startswith(mark):
            return data.decode(encoding, "replace")
    try:
        # A cut inside a character does not mean another encoding.
        return codecs.getincrementaldecoder("utf-8")().decode(data)
    except UnicodeDecodeError:
        return data.decode(_known(named) or _guessed(data[:_SAMPLE]), "replace")


def _known(named: Sequence[str]) -> str:
    """Returns the first named encoding of texts that this program knows; empty without one."""
    for name in named:
        try:
            if b"a".decode(name) == "a":
                return name
        except (LookupError, ValueError, TypeError):
            continue
    return ""


def _guessed(sample: bytes) -> str:
    found = charset_normalizer.from_bytes(sample).best()
    return "latin-1" if found is None else found.encoding
