"""Opens zip archives with care, tells what they are, and lists their entries."""

import io
import zipfile
from collections.abc import Sequence

from bot.adapters.media.found import FoundText
from bot.adapters.media.kind import Kind
from bot.adapters.media.unread import Unread
from bot.domain.text.visible_text import shown_name, size
from bot.domain.value import frozen

_MOST_PARTS = 20_000
# A sheet is read line by line; the others stand in memory as a tree of many times the size.
_MOST_UNPACKED = {Kind.EXCEL: 300_000_000, Kind.WORD: 50_000_000, Kind.POWERPOINT: 50_000_000}
_MOST_SHEETS = 1_000
_SHEETS = "xl/worksheets/"
_MOST_LISTED = 2_000
_LONGEST_NAME = 200
_PROLOGUE = 65_536
_LOCKED_FLAG = 0x1
_MARKED_UP = (".xml", ".rels", ".vml")
_ENTITIES = tuple(
    mark.encode(encoding)
    for mark in ("<!DOCTYPE", "<!ENTITY")
    for encoding in ("ascii", "utf-16-le", "utf-16-be")
)
_OFFICE = {"word/": Kind.WORD, "xl/": Kind.EXCEL, "ppt/": Kind.POWERPOINT}
_MACROS = "vbaproject.bin"
_OPEN_DOCUMENT = b"application/vnd.oasis.opendocument"
# A damaged archive reaches the library's code as values of a wrong type or size.
_MALFORMED = (
    zipfile.BadZipFile,
    zipfile.LargeZipFile,
    EOFError,
    LookupError,
    NotImplementedError,
    OSError,
    OverflowError,
    ValueError,
)


@frozen
class Archive:
    """An archive whose list of entries can be read; nothing of it is unpacked yet."""

    zip: zipfile.ZipFile
    entries: Sequence[zipfile.ZipInfo]
    kind: Kind

    @property
    def has_macros(self) -> bool:
        return any(entry.filename.lower().endswith(_MACROS) for entry in self.entries)

    def check(self) -> None:
        """Raises Unread for an office document that no library should open."""
        if any(entry.flag_bits & _LOCKED_FLAG for entry in self.entries):
            raise Unread("is locked by a password")
        if len(self.entries) > _MOST_PARTS:
            raise Unread(f"is {self.kind.one} of more than {_MOST_PARTS} parts, too many to read")
        bound = _MOST_UNPACKED[self.kind]
        if sum(entry.file_size for entry in self.entries if _is_markup(entry)) > bound:
            most = f"{bound // 1_000_000} MB"
            raise Unread(f"is {self.kind.one} that unpacks to more than {most}, too much to read")
        sheets = sum(entry.filename.startswith(_SHEETS) for entry in self.entries)
        if sheets > _MOST_SHEETS:
            raise Unread(f"is {self.kind.one} of more than {_MOST_SHEETS} sheets, too many to read")
        try:
            spoiled = any(self._declares(entry) for entry in self.entries)
        except _MALFORMED:
            raise Unread(f"is a damaged {self.kind}") from None
        if spoiled:
            raise Unread(f"is {self.kind.one} with XML entities, which can be an attack")

    def _declares(self, entry: zipfile.ZipInfo) -> bool:
        """Returns True for a part that declares entities, which office programs never do."""
        if not _is_markup(entry):
            return False
        with self.zip.open(entry) as part:
            prologue = part.read(_PROLOGUE).upper()
        return any(mark in prologue for mark in _ENTITIES)


def _is_markup(entry: zipfile.ZipInfo) -> bool:
    return entry.filename.lower().endswith(_MARKED_UP)


def opened(data: bytes, kind: Kind) -> Archive:
    """Opens an archive; `kind` is the one that its name claims, for the words of a fault."""
    try:
        archive = zipfile.ZipFile(io.BytesIO(data))
        entries = archive.infolist()
        return Archive(archive, entries, _found(archive, entries))
    except _MALFORMED:
        raise Unread(f"is a damaged {kind}") from None


def _found(archive: zipfile.ZipFile, entries: Sequence[zipfile.ZipInfo]) -> Kind:
    """Returns the kind of an archive by what it holds."""
    names = {entry.filename for entry in entries[:_MOST_PARTS]}
    if "[Content_Types].xml" in names:
        for folder, kind in _OFFICE.items():
            if any(name.startswith(folder) for name in names):
                return kind
    if "mimetype" in names and "content.xml" in names:
        with archive.open("mimetype") as part:
            if part.read(len(_OPEN_DOCUMENT)) == _OPEN_DOCUMENT:
                raise Unread(
                    "is an OpenDocument file; saved as .docx, .xlsx, .pptx or PDF it can be read"
                )
    return Kind.ZIP


def listing(archive: Archive) -> FoundText:
    """Returns the names and sizes of the entries; nothing is unpacked."""
    files = [entry for entry in archive.entries if not entry.is_dir()]
    if not files:
        raise Unread("is an empty zip archive")
    shown = [_line(entry) for entry in files[:_MOST_LISTED]]
    notes = ["this is the list of the archive; nothing was unpacked"]
    if len(files) > len(shown):
        notes.append(f"the first {len(shown)} of {len(files)} files are listed")
    if any(entry.flag_bits & _LOCKED_FLAG for entry in files):
        notes.append("some of it is locked by a password")
    return FoundText("\n".join(shown), ", ".join(notes), Kind.ZIP)


def _line(entry: zipfile.ZipInfo) -> str:
    name = shown_name(entry.filename[:_LONGEST_NAME])
    return f"{name}  {size(entry.file_size)}"
