"""Makes text safe and readable for a terminal."""

import re
import unicodedata
from collections.abc import Iterable
from typing import TypeAlias

from bot.domain.message import Block, CodeBlock, Markdown

Fragments: TypeAlias = list[tuple[str, str]]
"""Pieces of text, each with its style (`bold`, `italic`, `underline` or none)."""

_JOINERS = frozenset("\u200c\u200d")  # parts of words and of emoji
_UNSAFE = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
_SPAN = re.compile(
    r"\\(?P<literal>[!-/:-@\[-`{-~])"
    r"|\*\*(?P<bold>[^*\n]+)\*\*"
    r"|(?<![\w*])\*(?P<italic>[^\s*](?:[^*\n]*[^\s*])?)\*(?![\w*])"
    r"|`(?P<code>[^`\n]+)`"
)
_HEADING = re.compile(r"#{1,6} +(?P<title>.+)")


def visible(text: str) -> str:
    """Writes out every control, direction and invisible character of a text.

    The result cannot move the cursor, change colours or turn the order of letters round.
    """
    return "".join(_shown(letter) for letter in text.replace("\r\n", "\n"))


def _shown(letter: str) -> str:
    if letter == "\t":
        return "    "
    if letter == "\n" or letter in _JOINERS or unicodedata.category(letter) not in _UNSAFE:
        return letter
    return ascii(letter)[1:-1]


class MarkdownLines:
    """Shows Markdown line by line, as it comes; text between fences stays as it is."""

    def __init__(self) -> None:
        self._in_fence = False

    def shown(self, text: str) -> Fragments:
        """Formats some whole lines of the text; the last one may lack its end."""
        return [part for line in text.splitlines(keepends=True) for part in self._line(line)]

    def _line(self, line: str) -> Fragments:
        if line.lstrip().startswith("```"):
            self._in_fence = not self._in_fence
            return [("italic", visible(line))]
        if self._in_fence:
            return [("", visible(line))]
        if heading := _HEADING.match(line):
            return [("bold", visible(heading["title"])), ("", "\n" if line.endswith("\n") else "")]
        return list(_spans(line))


def _spans(line: str) -> Iterable[tuple[str, str]]:
    end = 0
    for span in _SPAN.finditer(line):
        yield "", visible(line[end : span.start()])
        match span.lastgroup:
            case "literal":
                yield "", span["literal"]
            case "bold" | "italic" as style:
                yield style, visible(span[style])
            case _:
                yield "", visible(span[0])
        end = span.end()
    yield "", visible(line[end:])


def block_fragments(block: Block) -> Fragments:
    """Returns a block as lines of its own, the last one ended."""
    if isinstance(block, Markdown):
        # White space at its ends says nothing, and a draft comes without.
        return MarkdownLines().shown(f"{block.text.strip()}\n")
    text = block.text if block.text.endswith("\n") else block.text + "\n"
    if isinstance(block, CodeBlock):
        return [("", "".join(f"    {line}\n" for line in visible(text).split("\n")[:-1]))]
    return [("", visible(text))]


def plain(fragments: Fragments) -> str:
    return "".join(text for _, text in fragments)
