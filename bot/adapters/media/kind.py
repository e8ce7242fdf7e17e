"""Recognises a file by its first bytes; the name only makes a refusal clearer."""

import re
from enum import StrEnum
from pathlib import PurePath

from bot.adapters.media.unread import Unread

_HEAD = 16_384
_NAMED = re.compile(rb"(?:[A-Za-z][A-Za-z0-9-]*:[^\r\n]*\r?\n(?:[ \t][^\r\n]*\r?\n)*){3,}\r?\n")
_TELLING = re.compile(rb"(?mi)^(?:from|received|return-path):")
_ALSO_TELLING = re.compile(rb"(?mi)^(?:date|message-id|mime-version|received):")


def is_mail(data: bytes) -> bool:
    """Tells by its first lines if a text is a mail with its headers."""
    found = _NAMED.match(data[:_HEAD].lstrip())
    head = b"" if found is None else found[0]
    return bool(_TELLING.search(head) and _ALSO_TELLING.search(head))


_BYTE_ORDER = (b"\xff\xfe", b"\xfe\xff")
_PICTURES = (b"\xff\xd8\xff", b"\x89PNG\r\n\x1a\n", b"GIF87a", b"GIF89a")
_OTHER_PICTURE = "is a picture of a form that is not read; JPEG, PNG, WebP and GIF are"
_ARCHIVE = "is an archive of a kind that is not read; a .zip archive is listed"
_OLD_OFFICE = "is an old office document; saved as .docx, .xlsx, .pptx or PDF it can be read"
_LOCKED_OFFICE = "is an office document that is locked by a password"
_LOCKED_MARK = "EncryptedPackage".encode("utf-16-le")
_OFFICE_BOX = b"\xd0\xcf\x11\xe0"
_RECORDING = "is a recording; I cannot listen to sound or watch films"
UNKNOWN = (
    "is of a kind that I cannot read; I read text, pictures, PDF, Word, Excel and PowerPoint "
    "documents, mails (.eml) and the lists of .zip archives"
)
_ZIPS = (b"PK\x03\x04", b"PK\x05\x06")
_REFUSED = (
    (b"\x1f\x8b", _ARCHIVE),
    (b"BZh", _ARCHIVE),
    (b"\xfd7zXZ\x00", _ARCHIVE),
    (b"7z\xbc\xaf\x27\x1c", _ARCHIVE),
    (b"Rar!", _ARCHIVE),
    (b"(\xb5/\xfd", _ARCHIVE),
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
    MAIL = "mail"
    PDF = "PDF document"
    PICTURE = "picture"
    WORD = "Word document"
    EXCEL = "Excel workbook"
    POWERPOINT = "PowerPoint presentation"
    ZIP = "zip archive"
    PAGE = "web page"

    @property
    def one(self) -> str:
        """Returns the kind with its article."""
        return f"an {self}" if self is Kind.EXCEL else f"a {self}"


_BY_ENDING = {
    **dict.fromkeys((".docx", ".docm", ".dotx"), Kind.WORD),
    **dict.fromkeys((".xlsx", ".xlsm"), Kind.EXCEL),
    **dict.fromkeys((".pptx", ".pptm", ".ppsx"), Kind.POWERPOINT),
}


def kind_of(data: bytes, name: str) -> Kind:
    """Returns the kind of a file; raises Unread for kinds that are not read.

    A zip archive is what its name claims until somebody looks into it.
    """
    if not data:
        raise Unread("is empty")
    if data.startswith(_PICTURES) or (data[:4], data[8:12]) == (b"RIFF", b"WEBP"):
        return Kind.PICTURE
    # Readers of PDF accept other bytes before the mark; a note of the format allows 1024.
    if b"%PDF-" in data[:1024]:
        return Kind.PDF
    if data.startswith(_ZIPS):
        return _BY_ENDING.get(PurePath(name).suffix.lower(), Kind.ZIP)
    if data.startswith(_BYTE_ORDER) or b"\0" not in data:
        return Kind.MAIL if is_mail(data) else Kind.TEXT
    raise Unread(_refusal(data))


def _refusal(data: bytes) -> str:
    if data.startswith(_OFFICE_BOX):
        return _LOCKED_OFFICE if _LOCKED_MARK in data else _OLD_OFFICE
    if data[4:8] == b"ftyp":
        return _OTHER_PICTURE if data[8:12].decode("latin-1") in _STILL else _RECORDING
    found = (why for mark, why in _REFUSED if data.startswith(mark))
    return next(found, UNKNOWN)
