"""Knows the width of letters, so that a picture has the same lines with every font."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from pictures.session import Run

_WIDTHS = {
    191: "'",
    222: "ijl",
    260: "|",
    278: " !,./:;I[\\]ft",
    333: "()-`r‘’·",
    334: "{}",
    355: '"“”',
    389: "*",
    469: "^",
    500: "Jckvsxyz",
    556: "#$0123456789?L_abdeghnopqu€–",
    584: "+<=>~",
    611: "FTZ",
    667: "&ABEKPSVXY",
    722: "CDHNRUw",
    778: "GOQ",
    833: "Mm",
    889: "%",
    944: "W",
    1000: "…—",
    1015: "@",
}
"""Characters by their width in thousandths of the size, as in the sans-serif most systems have."""
_OF = {character: width for width, some in _WIDTHS.items() for character in some}
_BOLD, _FIXED, _EMOJI = 1.06, 0.6, 1.35
_PICTORIAL = re.compile(r"([\U0001f000-\U0001faff⏸⏹⏳⏭⏺✅❌❓⚠✏▶❗]\ufe0f?|.\ufe0f)")
_TOKENS = re.compile(r"\n| +|[^ \n]+")


@dataclass(frozen=True, slots=True)
class Piece:
    """Words of one style in their place on a line."""

    words: str
    style: str
    x: float
    width: float


def width(words: str, style: str, size: float) -> float:
    """Returns the width of the words in pixels."""
    if is_emoji(words):
        return size * _EMOJI
    if "code" in style or "pre" in style:
        return len(words) * size * _FIXED
    bold = _BOLD if "bold" in style else 1.0
    return sum(_OF.get(character, 556) for character in words) * size * bold / 1000


def is_emoji(words: str) -> bool:
    """Tells if the words are one pictorial character."""
    return bool(_PICTORIAL.fullmatch(words))


def split_emoji(words: str) -> list[str]:
    """Returns the words with each emoji as a part of its own."""
    return [part for part in _PICTORIAL.split(words) if part]


def lines(runs: Iterable[Run], within: float, size: float) -> list[list[Piece]]:
    """Breaks the runs into lines no wider than `within`, at spaces where there are any."""
    found: list[list[Piece]] = [[]]
    at = 0.0
    for word in _words(runs):
        if word == [("\n", "")]:
            found.append([])
            at = 0.0
            continue
        wide = sum(width(words, style, size) for words, style in word)
        if at and at + wide > within:
            found.append([])
            at = 0.0
        if word[0][0].isspace() and not at:
            continue
        for words, style in _cut(word, within - at, size):
            if at and at + (one := width(words, style, size)) > within and one <= within:
                found.append([])
                at = 0.0
            found[-1].append(Piece(words, style, at, width(words, style, size)))
            at += width(words, style, size)
    return [_joined(line, size) for line in found]


def _words(runs: Iterable[Run]) -> Iterator[list[Run]]:
    """Yields line ends, spaces and words; a word may change its style in the middle."""
    word: list[Run] = []
    for words, style in runs:
        for token in _TOKENS.findall(words):
            if not token.isspace():
                word.extend((part, style) for part in split_emoji(token))
                continue
            if word:
                yield word
                word = []
            yield [("\n", "")] if token == "\n" else [(token, style)]
    if word:
        yield word


def _cut(word: Sequence[Run], within: float, size: float) -> Iterator[Run]:
    """Yields a word in parts that fit into the width, when it does not fit itself."""
    for words, style in word:
        most = max(1, int(within / max(width("n", style, size), 1)))
        if width(words, style, size) <= within:
            yield words, style
        else:
            yield from ((words[at : at + most], style) for at in range(0, len(words), most))


def _joined(line: Sequence[Piece], size: float) -> list[Piece]:
    """Returns neighbours of one style as one piece, without the space at the end."""
    kept = list(line)
    while kept and kept[-1].words.isspace():
        kept.pop()
    joined: list[Piece] = []
    for (style, emoji), some in groupby(kept, lambda piece: (piece.style, is_emoji(piece.words))):
        pieces = list(some)
        if emoji:
            joined.extend(pieces)
            continue
        words = "".join(piece.words for piece in pieces)
        joined.append(Piece(words, style, pieces[0].x, width(words, style, size)))
    return joined
