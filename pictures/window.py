"""The running program in a terminal, looked at line by line with its colours."""

import asyncio
from collections.abc import AsyncGenerator, Iterable, Mapping
from contextlib import asynccontextmanager
from itertools import groupby
from pathlib import Path
from tempfile import TemporaryDirectory

from pyte.screens import Char

from pictures.session import Run, ScreenMoment
from pictures.starting import STARTS
from pictures.steady import steady
from tests.e2e.terminals import Terminal


class Window:
    """A terminal's screen, and the moments of it that were kept."""

    def __init__(self, folder: Path, terminal: Terminal) -> None:
        self.folder = folder
        self.terminal = terminal
        self.moments: list[ScreenMoment] = []

    async def look(self, seconds: float, *, since: str = "", until: str = "") -> None:
        """Keeps what stands on the screen once it is quiet, from one line to another."""
        await self.terminal.quiet()
        lines = [self._line(line) for line in self.terminal.cells()]
        begin = _place(lines, since) if since else 0
        end = _place(lines, until) + 1 if until else len(lines)
        lines = lines[begin:end]
        while lines and not lines[-1]:
            del lines[-1]
        self.moments.append(ScreenMoment(seconds, tuple(lines)))

    async def typed(self, line: str, seconds: float = 0.6) -> None:
        """Types a line, keeps how it stands there, and sends it."""
        self.terminal.type(line)
        await self.terminal.until(lambda: self.terminal.text.endswith(line), line)
        await self.look(seconds)
        self.terminal.type("\r")

    def _line(self, cells: list[Char]) -> tuple[Run, ...]:
        pieces = [
            ("".join(cell.data for cell in some), style) for style, some in groupby(cells, _style)
        ]
        while pieces and not pieces[-1][0].strip() and "reverse" not in pieces[-1][1]:
            pieces.pop()
        if pieces:
            pieces[-1] = (pieces[-1][0].rstrip(), pieces[-1][1])
        return tuple((steady(words, self.folder), style) for words, style in pieces)


def _place(lines: Iterable[Iterable[Run]], sought: str) -> int:
    """Returns the number of the first line that holds these words."""
    texts = ["".join(words for words, _ in line) for line in lines]
    return next(place for place, text in enumerate(texts) if sought in text)


def _style(cell: Char) -> str:
    colour = "" if cell.fg == "default" else cell.fg
    named = {"bold": cell.bold, "italic": cell.italics, "reverse": cell.reverse}
    named["underline"] = cell.underscore
    return " ".join([*([colour] if colour else []), *(name for name, on in named.items() if on)])


@asynccontextmanager
async def window(
    *arguments: str,
    columns: int = 60,
    rows: int = 30,
    files: Mapping[str, str] | None = None,
    environ: Mapping[str, str] | None = None,
) -> AsyncGenerator[Window]:
    """Starts the program in a terminal of its own and an empty folder with these files."""
    with TemporaryDirectory(prefix="steward-picture-") as folder:
        checkout = Path(folder) / "steward"
        workspace = checkout / "data" / "workspace"
        await asyncio.to_thread(workspace.mkdir, parents=True)
        for name, content in (files or {}).items():
            (workspace / name).write_text(content)
        home = {"HOME": folder, **(environ or {})}
        command = STARTS.get().command
        terminal = Terminal(
            checkout, *arguments, columns=columns, rows=rows, command=command, environ=home
        )
        try:
            yield Window(checkout, terminal)
        finally:
            terminal.close()
