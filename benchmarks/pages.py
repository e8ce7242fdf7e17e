"""The pages with figures: docs/internals/figures.md has all, README.md the few that people need."""

import re
from collections.abc import Sequence
from pathlib import Path

from benchmarks.figure import HEADER, Figure

IN_README = (
    "Start to the first poll",
    "Resident after the first answer",
    "Turn 10: message to answer",
    "200 chats at once",
    "10,000 open cards: a press to its acknowledgement",
)
"""Names of the figures that README.md shows, in its order."""

_BLOCK = re.compile(r"(?<=<!-- figures -->\n).*?(?=<!-- /figures -->)", re.DOTALL)


def write_pages(root: Path, figures: Sequence[Figure], machine: str) -> None:
    """Replaces the figures of both pages below `root`; raises ValueError before it writes any.

    The text around the markers stays as it is.
    """
    by_name = {figure.name: figure for figure in figures}
    if missing := [name for name in IN_README if name not in by_name]:
        raise ValueError(f"these figures of the README were not measured: {', '.join(missing)}")
    shown = {
        root / "docs/internals/figures.md": figures,
        root / "README.md": [by_name[name] for name in IN_README],
    }
    texts = {page: _replaced(page, _block(machine, some)) for page, some in shown.items()}
    for page, text in texts.items():
        page.write_text(text)


def _block(machine: str, figures: Sequence[Figure]) -> str:
    line = "; ".join(machine.splitlines())
    return "\n".join((f"{line}.", "", HEADER, *(figure.row() for figure in figures), ""))


def _replaced(page: Path, block: str) -> str:
    text, count = _BLOCK.subn(lambda _: block, page.read_text())
    if count != 1:
        raise ValueError(f"{page.name} has {count} places for figures instead of one")
    return text
