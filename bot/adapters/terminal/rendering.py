"""Lays contents out in lines with words wrapped, by a library for that."""

import io
import operator
import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import dropwhile

from rich.console import Console
from rich.segment import Segment
from rich.style import Style
from rich.syntax import Syntax
from rich.text import Text
from rich.theme import Theme

from bot.adapters.terminal.fragments import LINK, Fragments, Lines
from bot.adapters.terminal.look import prose_width
from bot.adapters.terminal.markdown import CodeLines, Document, SettledPart, parsed
from bot.adapters.terminal.renderer import Border
from bot.adapters.terminal.signs import apart
from bot.adapters.terminal.visible import visible

_THEME = Theme(
    {
        "markdown.h1": "bold underline",
        "markdown.h2": "bold",
        "markdown.h3": "bold",
        "markdown.h4": "bold",
        "markdown.h5": "bold",
        "markdown.h6": "bold",
        "markdown.h7": "bold",
        "markdown.em": "italic",
        "markdown.strong": "bold",
        "markdown.s": "strike",
        "markdown.code": "cyan",
        "markdown.code_block": "cyan",
        "markdown.block_quote": "dim",
        "markdown.item": "",
        "markdown.item.bullet": "",
        "markdown.item.number": "",
        "markdown.hr": "dim",
        "markdown.link": "underline",
        "markdown.link_url": "underline",
        "markdown.kbd": "bold",
        "markdown.paragraph": "",
    }
)
_CODE = re.compile(r"`([^`\n]+)`")
_INDENT = "  "
_GOES_ON = "↪ "
_TABLE = "table_open"
_HIGHLIGHTED = 10_000
"""Characters of code above which its words are not coloured."""

_BEFORE = 60
"""Lines before a line of code that may say how to read it."""

_DIFF = {"+": "green", "-": "red", "@": "cyan", "—": "cyan"}


class Rendering:
    """Lays texts out; see the protocol `Renderer`."""

    def __init__(self) -> None:
        self._parsed = lru_cache(maxsize=8)(parsed)

    def markdown(self, text: str, width: int, start: int = 0, end: int | None = None) -> Lines:
        document = self._parsed(visible(text))
        lines: Lines = []
        for part in document.between(start, len(text) if end is None else end):
            if lines and not part.follows:
                lines.append([])
            lines += _laid_out(part, document, width)
        return lines

    def borders(self, text: str) -> Sequence[Border]:
        return self._parsed(visible(text)).borders

    def plain(self, text: str, width: int, *, code: bool = False) -> Lines:
        text = apart(visible(text).removesuffix("\n"))
        spans = _CODE.split(text) if code else [text]
        # Every second span stood between backticks.
        styled = ((span, "cyan" if n % 2 else "") for n, span in enumerate(spans))
        return _wrapped(Text.assemble(*styled), prose_width(width))

    def code(self, text: str, language: str, width: int) -> Lines:
        code = CodeLines(tuple(visible(text).removesuffix("\n").split("\n")), language)
        return _code(code, 0, len(code.lines), width)


def _laid_out(part: SettledPart, document: Document, width: int) -> Lines:
    if part.code is not None:
        shown = part.line < len(part.code.lines)
        return _code(part.code, part.line, part.line + 1, width) if shown else []
    console = _console(width if part.tokens[0].type == _TABLE else prose_width(width))
    rows = console.render_lines(document.alone(part), pad=False)
    lines = [_without_end(_fragments(row)) for row in rows]
    while lines and not lines[-1]:
        lines.pop()
    return list(dropwhile(operator.not_, lines))


def _code(code: CodeLines, first: int, end: int, width: int) -> Lines:
    """Lays out some lines of a block of code."""
    before = max(0, first - _BEFORE)
    texts = _coloured(code.lines[before:end], code.language)[first - before :]
    lines: Lines = []
    for text in texts:
        for n, line in enumerate(_wrapped(text, width - len(_INDENT))):
            mark = ("dim", _GOES_ON) if n else ("", _INDENT)
            lines.append([mark, *line])
    return lines


def _coloured(lines: Sequence[str], language: str) -> list[Text]:
    if language == "diff":
        return [Text.assemble((line, _DIFF.get(line[:1], ""))) for line in lines]
    code = "\n".join(lines)
    if language and len(code) <= _HIGHLIGHTED:
        text = Syntax(code, language, theme="ansi_dark").highlight(code)
        found = list(text.split("\n", allow_blank=True))[: len(lines)]
        # Some readers of code change it: what is shown must be the code itself.
        if [line.plain for line in found] == list(lines):
            return found
    return [Text(line) for line in lines]


def _wrapped(text: Text, width: int) -> Lines:
    console = _console(width)
    wrapped = text.wrap(console, width, overflow="fold")
    return [_without_end(_fragments(line.render(console))) for line in wrapped]


def _fragments(segments: Iterable[Segment]) -> Fragments:
    return [
        (_words(segment.style), visible(segment.text.replace("\n", "")))
        for segment in segments
        if segment.text and not segment.control
    ]


def _words(style: Style | None) -> str:
    """Returns a style in the words of fragments."""
    if style is None:
        return ""
    named = ("bold", "dim", "italic", "underline", "reverse", "strike")
    words = [word for word in named if getattr(style, word)]
    if style.color is not None and not style.color.is_default:
        words.append(style.color.name)
    if style.link is not None:
        words.append(f"{LINK}{style.link}")
    return " ".join(words)


def _without_end(line: Fragments) -> Fragments:
    """Returns a line without the spaces at its end."""
    line = list(line)
    while line:
        style, text = line.pop()
        if rest := text.rstrip(" "):
            line.append((style, rest))
            break
    return line


@lru_cache(maxsize=8)
def _console(width: int) -> Console:
    """Returns what the library lays out with; it prints nothing."""
    return Console(
        file=io.StringIO(),
        width=width,
        height=1000,
        color_system="standard",
        force_terminal=True,
        legacy_windows=False,
        theme=_THEME,
        highlight=False,
        markup=False,
        emoji=False,
        _environ={},
    )
