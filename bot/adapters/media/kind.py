"""Recognises a file by its first bytes; the name only makes a refusal clearer."""

from enum import StrEnum
from pathlib import PurePath

from bot.adapters.media.unread import Unread

_BYTE_ORDER = (b"\xff\xfe", b"\xfe\xff")
_PICTURES = (b"\xff\xd8\xff", b"\x89PNG\r\n\x1a\n", b"GIF87a", b"GIF89a")
_OFFICE = {".docx", ".xlsx", ".pptx", ".odt", ".ods", ".odp", ".doc", ".xls", ".ppt"}
_OTHER_PICTURE = "is a picture of a form that is not read; JPEG, PNG, WebP and GIF are"
_ARCHIVE = "is an archive; only what is sent unpacked is read"
_OFFICE_FILE = "is an office document; sent as PDF or plain text it is read"
_RECORDING = "is a recording; sound and film are not read"
_REFUSED = (
    (b"PK\x03\x04", _ARCHIVE),
    (b"PK\x05\x06", _ARCHIVE),
    (b"\x1f\x8b", _ARCHIVE),
    (b"BZh", _ARCHIVE),
    (b"\xfd7zXZ\x00", _ARCHIVE),
    (b"7z\xbc\xaf\x27\x1c", _ARCHIVE),
    (b"Rar!", _ARCHIVE),
    (b"(\xb5/\xfd", _ARCHIVE),
    (b"\xd0\xcf\x11\xe0", _OFFICE_FILE),
    (b"BM", _OTHER_PICTURE),
    (b"II*\x00", _OTHER_PICTURE),
    (b"MM\x00*", _OTHER_PICTURE),
    (b"ID3", _RECORDING),
    (b"OggS", _RECORDING),
    (b"fLaC", _RECORDING),
    (b"\x1aE\xdf\xa3", _RECORDING),
)
_STILL = ("heic", "heix", "mif1", "msf1", "avif", "avis")


class Kind(StrEnum):
    TEXT = "text"
    PDF = "PDF document"
    PICTURE = "picture"


def kind_of(data: bytes, name: str) -> Kind:
    """Returns the kind of a file; raises Unread for kinds that are not read."""
    if not data:
        raise Unread("is empty")
    if data.startswith(_PICTURES) or (data[:4], data[8:12]) == (b"RIFF", b"WEBP"):
        return Kind.PICTURE
    # Readers of PDF accept other bytes before the mark; a note of the format allows 1024.
    if b"%PDF-" in data[:1024]:
        return Kind.PDF
    if data.startswith(_BYTE_ORDER) or b"\0" not in data:
        return Kind.TEXT
    raise Unread(_refusal(data, name))


def _refusal(data: bytes, name: str) -> str:
    if PurePath(name).suffix.lower() in _OFFICE:
        return _OFFICE_FILE
    if data[4:8] == b"ftyp":
        return _OTHER_PICTURE if data[8:12].decode("latin-1") in _STILL else _RECORDING
    found = (why for mark, why in _REFUSED if data.startswith(mark))
    return next(found, "is neither text nor a picture nor a PDF document")
