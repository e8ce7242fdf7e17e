"""Safe names for files that people send: their own names, as far as every system can keep them."""

import unicodedata
from collections.abc import Iterator
from pathlib import PurePath

_MOST_BYTES = 120
_ENDING_BYTES = 24
_REPLACED = frozenset("<>:\"|?*'`$[]{}\\")
_DEVICES = frozenset(
    {"con", "prn", "aux", "nul"} | {f"{port}{n}" for port in ("com", "lpt") for n in range(10)}
)
"""Names that stand for devices on some systems, whatever their ending."""


def safe_name(name: str, otherwise: str) -> str:
    """Returns a name that no system, shell or screen takes for something else.

    Folders, control and direction characters go, and so do dots and dashes at its start. It has at
    most 120 bytes and keeps its ending. `otherwise` is the name when nothing is left.
    """
    last = unicodedata.normalize("NFC", name).replace("\\", "/").rsplit("/", 1)[-1]
    shown = "".join(map(_sign, last))
    plain = " ".join(shown.split()).lstrip(".-~ ").rstrip(". ")
    stem, ending = _parted(plain)
    stem = _cut(stem, _MOST_BYTES - len(ending.encode())).rstrip(". ")
    if not stem.strip("_ "):
        return otherwise
    return f"_{stem}{ending}" if stem.partition(".")[0].lower() in _DEVICES else f"{stem}{ending}"


def numbered(name: str) -> Iterator[str]:
    """Yields the name, then `a (2).csv`, `a (3).csv` and so on, without an end."""
    yield name
    stem, ending = _parted(name)
    number = 2
    while True:
        yield f"{stem} ({number}){ending}"
        number += 1


def _sign(character: str) -> str:
    kind = unicodedata.category(character)
    if kind in ("Cc", "Zl", "Zp"):
        return " "
    if kind.startswith("C"):
        return ""
    return "_" if character in _REPLACED else character


def _parted(name: str) -> tuple[str, str]:
    """Returns the stem and the ending of a name; a long ending belongs to the stem."""
    ending = PurePath(name).suffix
    if not ending or len(ending.encode()) > _ENDING_BYTES:
        return name, ""
    return name.removesuffix(ending), ending


def _cut(text: str, most: int) -> str:
    return text.encode()[:most].decode(errors="ignore")
